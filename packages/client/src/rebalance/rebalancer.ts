import {
  type AllocateStrategy,
  compareMessageQueues,
  isRetryTopic,
  type MessageQueue,
  messageQueueKey,
} from '@rocketmq-ts/model'
import { type Logger, RateLimitedLog, RocketMqError, type Timer } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'
import type { MessageModel } from '../consume/consumer-registration.ts'
import { consumerIdsOf } from './consumer-ids.ts'

/** What a rebalance changes: the queues of one consumer. Topics are as on the wire. */
export interface RebalanceTarget {
  /** Topics subscribed now. */
  topics(): Iterable<string>
  /** Queues held now, of all topics. */
  heldQueues(): Iterable<MessageQueue>
  /** True when a held queue must be given up and taken anew, because its pull loop has died. */
  isStale(queue: MessageQueue): boolean
  /** Gives a queue up. Resolves when others may take it: its progress is stored. */
  revoke(queue: MessageQueue): Promise<void>
  /** Takes a queue; `isShared` when the group has other members, who may still be giving it up. False: try again soon. */
  assign(queue: MessageQueue, options: { isShared: boolean }): Promise<boolean>
  /** After a change of the queues held of `topic`. */
  onChanged?(topic: string, all: readonly MessageQueue[], mine: readonly MessageQueue[]): void
}

export interface RebalancerOptions {
  instance: ClientInstance
  group: string
  messageModel: MessageModel
  strategy: AllocateStrategy
  target: RebalanceTarget
  logger: Logger
  /** Time between rounds when nothing happens. */
  intervalMs: number
  /**
   * Least time between two rounds, however many reasons there are, and the first wait after a round that didn't come out
   * balanced; that one doubles up to `intervalMs`. Default 200.
   */
  minIntervalMs?: number
  /** Bound of the waits after rounds that didn't come out balanced. Default `intervalMs`. */
  unbalancedMaxMs?: number
}

/**
 * Divides the queues of a consumer's topics among the members of its group, each member computing the same division.
 * A round runs at start, on the timer, when the members or a route changed, and soon again (200 ms, doubling) when a question
 * failed or a topic has no route yet. Never throws, one round at a time.
 * Source: RebalanceImpl, RebalanceService, 5.3.x
 */
export class Rebalancer {
  readonly #options: RebalancerOptions
  readonly #log: RateLimitedLog
  readonly #watched = new Map<string, () => void>()
  readonly #minIntervalMs: number
  #timer: Timer | undefined
  #running: Promise<void> | undefined
  #runsAgain = false
  #lastRoundAtMs = Number.NEGATIVE_INFINITY
  #unbalancedRounds = 0
  #state: 'idle' | 'running' | 'paused' | 'stopped' = 'idle'

  constructor(options: RebalancerOptions) {
    this.#options = options
    this.#minIntervalMs = options.minIntervalMs ?? 200
    this.#log = new RateLimitedLog(options.instance.clock, options.logger, { periodMs: 30_000 })
  }

  /** Runs the first round. Resolves when it is done, however it came out. */
  async start(): Promise<void> {
    if (this.#state !== 'idle') return
    this.#state = 'running'
    await this.#round()
  }

  /** Asks for a round as soon as the least interval allows. */
  wake(): void {
    if (this.#state !== 'running') return
    if (this.#running !== undefined) {
      this.#runsAgain = true
      return
    }
    const sinceLast = this.#options.instance.clock.monotonic() - this.#lastRoundAtMs
    this.#schedule(Math.max(0, this.#minIntervalMs - sinceLast))
  }

  /** No rounds until {@link resume}. Resolves when a running one has ended. */
  async pause(): Promise<void> {
    if (this.#state === 'running') this.#state = 'paused'
    this.#cancelTimer()
    await this.#running
  }

  resume(): void {
    if (this.#state !== 'paused') return
    this.#state = 'running'
    this.wake()
  }

  /** Ends rounds; resolves when a running one has ended. */
  async stop(): Promise<void> {
    this.#state = 'stopped'
    this.#cancelTimer()
    for (const unwatch of this.#watched.values()) unwatch()
    this.#watched.clear()
    await this.#running
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer()
    if (this.#state !== 'running') return
    this.#timer = this.#options.instance.clock.setTimeout(() => void this.#round(), delayMs)
  }

  #cancelTimer(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #round(): Promise<void> {
    this.#running ??= this.#doRound().finally(() => {
      this.#running = undefined
      const again = this.#runsAgain
      this.#runsAgain = false
      if (again) this.wake()
      else this.#schedule(this.#nextWaitMs())
    })
    return this.#running
  }

  async #doRound(): Promise<void> {
    this.#cancelTimer()
    let isBalanced = false
    try {
      isBalanced = await this.#rebalanceAll()
    } catch (error) {
      this.#log.warn('round', { err: error }, 'rebalance failed')
    }
    this.#lastRoundAtMs = this.#options.instance.clock.monotonic()
    this.#unbalancedRounds = isBalanced ? 0 : this.#unbalancedRounds + 1
  }

  #nextWaitMs(): number {
    const { intervalMs, unbalancedMaxMs = intervalMs } = this.#options
    if (this.#unbalancedRounds === 0) return intervalMs
    return Math.min(intervalMs, unbalancedMaxMs, this.#minIntervalMs * 2 ** Math.min(10, this.#unbalancedRounds - 1))
  }

  async #rebalanceAll(): Promise<boolean> {
    const topics = new Set(this.#options.target.topics())
    this.#watchRoutes(topics)
    let isBalanced = true
    for (const topic of topics) {
      if (this.#state === 'stopped') return true
      try {
        isBalanced = (await this.#rebalanceTopic(topic)) && isBalanced
      } catch (error) {
        isBalanced = false
        // The first heartbeat of a group creates its retry topic, so its route comes a moment later than the others.
        if (!isRetryTopic(topic) || this.#unbalancedRounds > 3) {
          this.#log.warn(topic, { topic, err: error }, 'topic not rebalanced; trying again')
        }
      }
    }
    const { target } = this.#options
    const unsubscribed = [...target.heldQueues()].filter(queue => !topics.has(queue.topic))
    await Promise.all(unsubscribed.map(queue => target.revoke(queue)))
    return isBalanced
  }

  async #rebalanceTopic(topic: string): Promise<boolean> {
    const { instance, group, messageModel, strategy } = this.#options
    const all = await instance.routes.subscribeQueues(topic)
    if (messageModel === 'BROADCASTING') return await this.#update(topic, all, all, false)
    const ids = await consumerIdsOf(instance, topic, group)
    if (!ids.includes(instance.clientId)) {
      // The broker doesn't know this member (yet, or any more): nothing can be divided, what is held stays.
      await instance.sendHeartbeats()
      return false
    }
    const queues = [...all].sort(compareMessageQueues)
    ids.sort()
    const mine = strategy.allocate(group, instance.clientId, queues, ids)
    return await this.#update(topic, queues, mine, ids.length > 1)
  }

  async #update(
    topic: string,
    all: readonly MessageQueue[],
    mine: readonly MessageQueue[],
    isShared: boolean,
  ): Promise<boolean> {
    const { target, logger } = this.#options
    const wanted = new Set(mine.map(messageQueueKey))
    const held = [...target.heldQueues()].filter(queue => queue.topic === topic)
    const revoked = held.filter(queue => !wanted.has(messageQueueKey(queue)) || target.isStale(queue))
    await Promise.all(revoked.map(queue => target.revoke(queue)))
    if (this.#state === 'stopped') return true
    const heldKeys = new Set([...target.heldQueues()].map(messageQueueKey))
    const added = mine.filter(queue => !heldKeys.has(messageQueueKey(queue)))
    const outcomes = await Promise.all(added.map(queue => this.#assign(queue, isShared)))
    if (revoked.length > 0 || added.length > 0) {
      logger.info({ topic, all: all.length, mine: mine.length }, 'queues rebalanced')
      this.#tellChange(topic, all, mine)
    }
    return outcomes.every(isTaken => isTaken)
  }

  async #assign(queue: MessageQueue, isShared: boolean): Promise<boolean> {
    try {
      return await this.#options.target.assign(queue, { isShared })
    } catch (error) {
      const code = RocketMqError.is(error) ? error.code : undefined
      this.#log.warn(queue.brokerName, { ...queue, code, err: error }, 'queue not taken; trying again')
      return false
    }
  }

  #tellChange(topic: string, all: readonly MessageQueue[], mine: readonly MessageQueue[]): void {
    try {
      this.#options.target.onChanged?.(topic, all, mine)
    } catch (error) {
      this.#log.error('listener', { topic, err: error }, 'listener of queue changes threw')
    }
  }

  #watchRoutes(topics: Set<string>): void {
    for (const [topic, unwatch] of this.#watched) {
      if (topics.has(topic)) continue
      unwatch()
      this.#watched.delete(topic)
    }
    for (const topic of topics) {
      if (!this.#watched.has(topic)) {
        this.#watched.set(
          topic,
          this.#options.instance.routes.onChange(topic, () => this.wake()),
        )
      }
    }
  }
}
