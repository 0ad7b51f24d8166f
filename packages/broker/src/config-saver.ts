import type { BackedUpFile, Clock, Logger, Timer, TurnScheduler } from '@rocketmq-ts/runtime'

/** A full disk stays full for a while; meanwhile not every turn tries, and writes a line to the log. */
const RETRY_PERIOD_MS = 1000
/** A save that took longer is followed by a rest of so many times its length, before changes made on demand are saved. */
const LONG_SAVE_MS = 5
const REST_FACTOR = 10

/**
 * Keeps one JSON file of `config/` equal to a table in memory. A change is written at the end of its event-loop turn,
 * before that turn's answers leave, so that what was acknowledged survives a killed process, and a turn that makes many
 * changes writes once. A failed write is logged and tried again with the next turn that ends a second later, changes or not.
 *
 * Tables of thousands of entries take long to write. There what strangers can cause, a topic or group made by its first use, waits so
 * that saving takes a tenth of the time at most; a process killed meanwhile makes it again at the next use.
 */
export class ConfigSaver {
  readonly #file: BackedUpFile
  readonly #encode: () => string
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #turn: TurnScheduler | undefined
  #isDirty = false
  #isUrgent = false
  #retryAtMs = Number.NEGATIVE_INFINITY
  #restUntilMs = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined
  readonly #unlisten: (() => void) | undefined

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
    this.#unlisten = this.#turn?.onEnd('write', () => {
      if (this.#isDirty) this.#saveWhenDue()
    })
  }

  /**
   * Has the file written at the end of this turn; at once when there is no turn scheduler. `isOnDemand`: what was made by its first use,
   * which may wait while the table is large.
   */
  changed(isOnDemand = false): void {
    this.#isDirty = true
    if (!isOnDemand) this.#isUrgent = true
    if (this.#turn === undefined) this.saveNow()
    else this.#turn.schedule()
  }

  /** Writes the file now. Never throws. */
  saveNow(): void {
    this.#isDirty = false
    const startMs = this.#clock.monotonic()
    try {
      this.#file.save(this.#encode())
      this.#isUrgent = false
      this.#retryAtMs = Number.NEGATIVE_INFINITY
      const endMs = this.#clock.monotonic()
      this.#restUntilMs = endMs - startMs < LONG_SAVE_MS ? endMs : endMs + REST_FACTOR * (endMs - startMs)
    } catch (error) {
      this.#isDirty = true
      this.#retryAtMs = this.#clock.monotonic() + RETRY_PERIOD_MS
      this.#logger.error({ err: error, path: this.#file.path }, 'a configuration file could not be saved')
    }
  }

  /** Saves what isn't saved yet, and is done. */
  close(): void {
    this.#timer?.cancel()
    this.#unlisten?.()
    if (this.#isDirty) this.saveNow()
  }

  #saveWhenDue(): void {
    const now = this.#clock.monotonic()
    if (now < this.#retryAtMs) return
    if (this.#isUrgent || now >= this.#restUntilMs) {
      this.saveNow()
      return
    }
    const onTime = () => {
      this.#timer = undefined
      this.#turn?.schedule()
    }
    this.#timer ??= this.#clock.setTimeout(onTime, this.#restUntilMs - now, { unref: true })
  }
}
