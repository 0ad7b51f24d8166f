import { isRetryTopic, type MessageQueue, messageQueueKey } from '@rocketmq-ts/model'
import { type Clock, type Logger, RateLimitedLog } from '@rocketmq-ts/runtime'
import type { MessageModel } from '../consume/consumer-registration.ts'
import type { OffsetStore } from '../offset-store/offset-store.ts'
import type { ProcessQueue } from '../process-queue/process-queue.ts'
import type { QueueTable } from '../process-queue/queue-table.ts'
import type { RebalanceTarget } from '../rebalance/rebalancer.ts'
import type { Puller } from './puller.ts'
import { type StartOffsetQuestions, type StartOffsetRule, startOffset } from './start-offset.ts'

/**
 * How long a queue that may come from another member rests before its offset is asked for. Meanwhile the other one hears
 * of the change (200 ms), lets its handlers finish (400 ms) and stores its progress. Java waits 500 ms, but asks before.
 */
const handOverMs = 1000

/** How long a queue that is given up waits for its handlers: within {@link handOverMs}, so that their results still count. */
const drainMs = 400

/** A pull loop that has not moved for so long is dead. Source: ProcessQueue#PULL_MAX_IDLE_TIME, 5.3.x */
const pullExpiryMs = 120_000

export interface QueueHolderOptions {
  clock: Clock
  logger: Logger
  messageModel: MessageModel
  queues: QueueTable
  offsets: OffsetStore
  puller: Puller
  rule: StartOffsetRule
  questions(queue: MessageQueue): StartOffsetQuestions
  topics(): Iterable<string>
  retryDelayMs: number
  onChanged(topic: string, all: readonly MessageQueue[], mine: readonly MessageQueue[]): void
}

/** Takes and gives up queues as rebalancing decides. Source: RebalancePushImpl, 5.3.x */
export class QueueHolder implements RebalanceTarget {
  readonly #options: QueueHolderOptions
  readonly #log: RateLimitedLog
  #isStopped = false

  constructor(options: QueueHolderOptions) {
    this.#options = options
    this.#log = new RateLimitedLog(options.clock, options.logger)
  }

  topics(): Iterable<string> {
    return this.#options.topics()
  }

  *heldQueues(): Iterable<MessageQueue> {
    for (const processQueue of this.#options.queues.values()) yield processQueue.queue
  }

  isStale(queue: MessageQueue): boolean {
    const processQueue = this.#options.queues.get(messageQueueKey(queue))
    if (processQueue === undefined || processQueue.pullState === 'blocked' || processQueue.isPaused) return false
    return this.#options.clock.now() - processQueue.lastPullAtMs > pullExpiryMs
  }

  async assign(queue: MessageQueue, { isShared }: { isShared: boolean }): Promise<boolean> {
    const { queues, offsets, clock } = this.#options
    offsets.remove(messageQueueKey(queue))
    const processQueue = queues.add(queue, { nextOffset: 0, nowMs: clock.now() })
    if (isShared) this.#beginIn(processQueue, handOverMs)
    else void this.#begin(processQueue)
    return true
  }

  async revoke(queue: MessageQueue): Promise<void> {
    const processQueue = this.#options.queues.get(messageQueueKey(queue))
    if (processQueue === undefined) return
    await this.#drain(processQueue)
    await this.release(processQueue)
  }

  /** Gives a queue up at once: stores its offset and forgets it. False when it was not held. Never rejects. */
  async release(processQueue: ProcessQueue): Promise<boolean> {
    const { queues, offsets, puller } = this.#options
    puller.forget(processQueue)
    if (!queues.remove(processQueue)) return false
    await offsets.persist(processQueue.key, processQueue.queue)
    offsets.remove(processQueue.key)
    return true
  }

  /** As {@link release}, without storing the offset: it may be another member's by now. */
  abandon(processQueue: ProcessQueue): boolean {
    const { queues, offsets, puller } = this.#options
    puller.forget(processQueue)
    if (!queues.remove(processQueue)) return false
    offsets.remove(processQueue.key)
    return true
  }

  /**
   * Takes a queue whose lock was asked for at `lockedMs` (monotonic) and granted, and begins it at its stored offset. False
   * when the consumer ends. Rejects when the offset can't be asked for.
   */
  async takeLocked(queue: MessageQueue, lockedMs: number): Promise<boolean> {
    const { queues, offsets, clock, puller } = this.#options
    const key = messageQueueKey(queue)
    offsets.remove(key)
    const nextOffset = await this.#startOffset(key, queue, isRetryTopic(queue.topic))
    if (this.#isStopped) return false
    const processQueue = queues.add(queue, { nextOffset, nowMs: clock.now() })
    processQueue.lockedAt(lockedMs, clock.now())
    puller.start(processQueue)
    return true
  }

  onChanged(topic: string, all: readonly MessageQueue[], mine: readonly MessageQueue[]): void {
    this.#options.onChanged(topic, all, mine)
  }

  /** Begins no queue any more. */
  stop(): void {
    this.#isStopped = true
  }

  #beginIn(processQueue: ProcessQueue, waitMs: number): void {
    if (processQueue.dropped || this.#isStopped) return
    // The queue table and the puller cancel this timer with the queue.
    processQueue.timer = this.#options.clock.setTimeout(() => {
      processQueue.timer = undefined
      void this.#begin(processQueue)
    }, waitMs)
  }

  /** Asks where to begin, and begins; tries again until that is known or the queue is given up. Never rejects. */
  async #begin(processQueue: ProcessQueue): Promise<void> {
    const { clock, puller, retryDelayMs } = this.#options
    const { queue, key, isRetry } = processQueue
    processQueue.lastPullAtMs = clock.now()
    try {
      const offset = await this.#startOffset(key, queue, isRetry)
      if (processQueue.dropped || this.#isStopped) return
      processQueue.nextOffset = offset
      puller.start(processQueue)
    } catch (error) {
      this.#log.warn(queue.brokerName, { ...queue, err: error }, 'start offset not known; trying again')
      this.#beginIn(processQueue, retryDelayMs)
    }
  }

  async #startOffset(key: string, queue: MessageQueue, isRetry: boolean): Promise<number> {
    const { offsets, rule, questions } = this.#options
    return await startOffset(await offsets.stored(key, queue), isRetry, rule, questions(queue))
  }

  async #drain(processQueue: ProcessQueue): Promise<void> {
    processQueue.isDraining = true
    if (processQueue.handedOutCount === 0) return
    await new Promise<void>(resolve => {
      const timer = this.#options.clock.setTimeout(resolve, drainMs)
      processQueue.onDrained = () => {
        timer.cancel()
        resolve()
      }
    })
  }
}
