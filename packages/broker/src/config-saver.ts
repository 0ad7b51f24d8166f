import type { BackedUpFile, Clock, Logger, TurnScheduler } from '@rocketmq-ts/runtime'

/** A full disk stays full for a while; meanwhile not every turn tries, and writes a line to the log. */
const RETRY_PERIOD_MS = 1000

/**
 * Keeps one JSON file of `config/` equal to a table in memory. A change is written at the end of its event-loop turn,
 * before that turn's answers leave, so that what was acknowledged survives a killed process, and a turn that makes many
 * changes writes once. A failed write is logged and tried again with the next turn that ends a second later, changes or not.
 */
export class ConfigSaver {
  readonly #file: BackedUpFile
  readonly #encode: () => string
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #turn: TurnScheduler | undefined
  #isDirty = false
  #retryAtMs = Number.NEGATIVE_INFINITY

  constructor(options: {
    file: BackedUpFile
    encode: () => string
    clock: Clock
    logger: Logger
    turn?: TurnScheduler
  }) {
    this.#file = options.file
    this.#encode = options.encode
    this.#logger = options.logger
    this.#clock = options.clock
    this.#turn = options.turn
    this.#turn?.onEnd('write', () => {
      if (this.#isDirty && this.#clock.monotonic() >= this.#retryAtMs) this.saveNow()
    })
  }

  /** Has the file written at the end of this turn; at once when there is no turn scheduler. */
  changed(): void {
    this.#isDirty = true
    if (this.#turn === undefined) this.saveNow()
    else this.#turn.schedule()
  }

  /** Writes the file now. Never throws. */
  saveNow(): void {
    this.#isDirty = false
    try {
      this.#file.save(this.#encode())
      this.#retryAtMs = Number.NEGATIVE_INFINITY
    } catch (error) {
      this.#isDirty = true
      this.#retryAtMs = this.#clock.monotonic() + RETRY_PERIOD_MS
      this.#logger.error({ err: error, path: this.#file.path }, 'a configuration file could not be saved')
    }
  }
}
