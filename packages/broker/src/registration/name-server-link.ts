import type { DataVersion, TopicConfig } from '@rocketmq-ts/model'
import { type Clock, type Logger, RocketMqError, type Timer } from '@rocketmq-ts/runtime'
import { reasonOf } from '../remarks.ts'

/** First pause after a failed registration; it doubles up to the regular period. */
const retryDelayFirstMs = 1000

/** How one registration with one name server is made; the link decides what and when. */
export interface RegistrationCalls {
  /** Registers these topics under this version; resolves when the name server has accepted. */
  register(address: string, topics: Iterable<TopicConfig>, version: DataVersion): Promise<void>
  /** True when the name server's data differ from this version. */
  isOutdated(address: string, version: DataVersion): Promise<boolean>
}

/** What the link registers: read anew for each registration, so that the newest state goes out. */
export interface TopicSource {
  readonly dataVersion: DataVersion
  values(): Iterable<TopicConfig>
  get(name: string): TopicConfig | undefined
}

/** What the next registration must carry: every topic, or one that was created or changed. */
type Pending = { kind: 'all'; isForced: boolean } | { kind: 'topic'; name: string }

/**
 * This broker's registration with one name server. One call is in flight at a time, so that a name server never sees an
 * older state after a newer one; what comes up meanwhile is merged into one more. After a failure the next registration
 * carries all topics: a lone topic under a new version would make the name server believe that it has the others.
 */
export class NameServerLink {
  readonly address: string
  readonly #calls: RegistrationCalls
  readonly #topics: TopicSource
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #retryDelayMaxMs: () => number
  #pending: Pending | undefined
  #running: Promise<void> | undefined
  #isComplete = false
  #isClosed = false
  #failures = 0
  #retryTimer: Timer | undefined

  constructor(deps: {
    address: string
    calls: RegistrationCalls
    topics: TopicSource
    clock: Clock
    logger: Logger
    retryDelayMaxMs: () => number
  }) {
    this.address = deps.address
    this.#calls = deps.calls
    this.#topics = deps.topics
    this.#clock = deps.clock
    this.#logger = deps.logger
    this.#retryDelayMaxMs = deps.retryDelayMaxMs
  }

  /** True while the name server has all topics, as far as we know. */
  get isRegistered(): boolean {
    return this.#isComplete
  }

  /**
   * Registers all topics; without `isForced` only when the name server's data turn out to be of another version. Resolves,
   * never rejects, when this and what was pending has been tried.
   */
  registerAll(isForced: boolean): Promise<void> {
    const wasForced = this.#pending?.kind === 'all' && this.#pending.isForced
    this.#pending = { kind: 'all', isForced: isForced || wasForced || this.#pending?.kind === 'topic' }
    return this.#run()
  }

  /** Registers one topic, or all when others are waiting too. Never rejects. */
  registerTopic(name: string): Promise<void> {
    const { kind } = this.#pending ?? { kind: 'topic' }
    const isAlone = this.#pending === undefined || (this.#pending.kind === 'topic' && this.#pending.name === name)
    if (isAlone && kind === 'topic' && this.#isComplete) this.#pending = { kind: 'topic', name }
    else this.#pending = { kind: 'all', isForced: true }
    return this.#run()
  }

  /** Starts nothing more. Resolves when the call in flight has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#pending = undefined
    this.#retryTimer?.cancel()
    await this.#running
  }

  #run(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#running ??= this.#drain().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #drain(): Promise<void> {
    // Changes of the same turn join one registration.
    await Promise.resolve()
    while (this.#pending !== undefined && !this.#isClosed) {
      const pending = this.#pending
      this.#pending = undefined
      try {
        await this.#send(pending)
        this.#succeeded()
      } catch (error) {
        this.#failed(error, pending)
      }
    }
  }

  async #send(pending: Pending): Promise<void> {
    const version = this.#topics.dataVersion
    if (pending.kind === 'topic') {
      const topic = this.#topics.get(pending.name)
      if (topic !== undefined) return this.#calls.register(this.address, [topic], version)
    } else if (!pending.isForced && this.#isComplete && !(await this.#calls.isOutdated(this.address, version))) {
      return
    }
    await this.#calls.register(this.address, this.#topics.values(), this.#topics.dataVersion)
  }

  #succeeded(): void {
    if (!this.#isComplete) this.#logger.info({ nameServer: this.address }, 'registered with a name server')
    this.#isComplete = true
    this.#failures = 0
    this.#retryTimer?.cancel()
    this.#retryTimer = undefined
  }

  #failed(error: unknown, pending: Pending): void {
    const isFirst = this.#failures === 0
    this.#failures++
    this.#isComplete = false
    if (isFirst && !this.#isClosed) {
      this.#logger.warn({ nameServer: this.address, reason: reasonOf(error) }, 'registration with a name server failed')
    }
    // It knows us no more (it was restarted) and wants everything: no need to wait.
    if (pending.kind === 'topic' && RocketMqError.is(error) && error.code === 'RESPONSE_ERROR') {
      this.#pending = { kind: 'all', isForced: true }
    } else if (!this.#isClosed) this.#retryLater()
  }

  #retryLater(): void {
    const delayMs = Math.min(retryDelayFirstMs * 2 ** Math.min(this.#failures - 1, 16), this.#retryDelayMaxMs())
    this.#retryTimer?.cancel()
    this.#retryTimer = this.#clock.setTimeout(() => void this.registerAll(true), delayMs, { unref: true })
  }
}
