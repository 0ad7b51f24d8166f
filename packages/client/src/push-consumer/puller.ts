import { ResponseCode } from '@rocketmq-ts/protocol'
import { type Clock, type Logger, RateLimitedLog, RocketMqError } from '@rocketmq-ts/runtime'
import { filterByTag } from '../consume/filter-by-tag.ts'
import type { PullAnswer, PullClient } from '../consume/pull-client.ts'
import { PulledBatch } from '../consume/pulled-batch.ts'
import type { OffsetStore } from '../offset-store/offset-store.ts'
import { type FlowLimits, flowReason } from '../process-queue/flow-control.ts'
import type { ProcessQueue } from '../process-queue/process-queue.ts'
import type { QueueTable } from '../process-queue/queue-table.ts'
import type { ConsumeStats } from './consume-stats.ts'
import type { SubscriptionTable } from './subscription-table.ts'

/** How long the broker may hold a pull. Source: DefaultMQPushConsumerImpl#BROKER_SUSPEND_MAX_TIME_MILLIS, 5.3.x */
const suspendMs = 15_000
/** Well beyond {@link suspendMs}: a held pull is answered by then. */
const pullTimeoutMs = 30_000
/** Rest after the broker's flow control. */
const flowControlDelayMs = 20
/** Rest of a suspended consumer between two looks. */
const suspendedDelayMs = 1000
/** Rest of a queue whose lock has expired, while it is being renewed. Source: DefaultMQPushConsumerImpl#pullMessage, 5.3.x */
const unownedDelayMs = 3000
/** An answer without anything that comes sooner than this was not held. */
const heldAtLeastMs = 100
/** So many such answers in a row are no accident; then the pulls slow down, to this delay at most. */
const idleAnswersTolerated = 3
const idleDelayMaxMs = 1000

export interface PullerOptions {
  clock: Clock
  logger: Logger
  client: PullClient
  queues: QueueTable
  /** Told of progress without messages; asked what a pull commits. */
  offsets: Pick<OffsetStore, 'memory' | 'update'>
  subscriptions: SubscriptionTable
  stats: ConsumeStats
  /** Topic on the wire → topic for the user. */
  userTopic(wireTopic: string): string
  namespace: string
  pullBatchSize: number
  pullBatchBytes: number
  pullIntervalMs: number
  retryDelayMs: number
  sendsExpression: boolean
  /** Whether pulls carry the offset to commit: in clustering. */
  commitsOffsets: boolean
  /** New messages are in the queue. */
  onMessages(processQueue: ProcessQueue): void
  /** The broker says that the offset is out of range: `processQueue` must be given up and begin again at `offset`. */
  onOffsetIllegal(processQueue: ProcessQueue, offset: number): void
}

/**
 * The pull loops of a push consumer: one outstanding pull per held queue, the next one sent as soon as an answer is here
 * and flow control allows. A queue at its limit waits for its messages to be finished, not for a timer.
 * Source: DefaultMQPushConsumerImpl#pullMessage, 5.3.x
 */
export class Puller {
  limits: FlowLimits
  readonly #options: PullerOptions
  readonly #log: RateLimitedLog
  /** Queues held back by the limit over all queues. */
  readonly #blockedByTotal = new Set<ProcessQueue>()
  #state: 'running' | 'suspended' | 'stopped' = 'running'

  constructor(options: PullerOptions, limits: FlowLimits) {
    this.#options = options
    this.limits = limits
    this.#log = new RateLimitedLog(options.clock, options.logger)
  }

  /** Begins or continues the loop of a queue that is idle. */
  start(processQueue: ProcessQueue): void {
    if (processQueue.pullState === 'idle') this.#next(processQueue)
  }

  /** Messages of the queue were finished: if it was held back, its loop may go on. Called for each; mostly does nothing. */
  resumeBlocked(processQueue: ProcessQueue): void {
    if (processQueue.pullState === 'blocked') this.#unblock(processQueue)
    if (this.#blockedByTotal.size > 0 && this.#options.queues.ledger.bytes <= this.limits.bytesTotal) {
      for (const other of [...this.#blockedByTotal]) this.#unblock(other)
    }
  }

  /** No new pulls until {@link resume}; those on their way are still taken. */
  suspend(): void {
    if (this.#state === 'running') this.#state = 'suspended'
  }

  resume(): void {
    if (this.#state === 'suspended') this.#state = 'running'
  }

  get isSuspended(): boolean {
    return this.#state === 'suspended'
  }

  /** Ends all loops. Answers that are on their way are ignored. */
  stop(): void {
    this.#state = 'stopped'
    this.#blockedByTotal.clear()
    for (const processQueue of this.#options.queues.values()) {
      processQueue.timer?.cancel()
      processQueue.timer = undefined
    }
  }

  /** Forgets a queue that was given up. */
  forget(processQueue: ProcessQueue): void {
    this.#blockedByTotal.delete(processQueue)
    this.#options.client.forget(processQueue.key)
  }

  #unblock(processQueue: ProcessQueue): void {
    const reason = flowReason(processQueue, this.#options.queues.ledger.bytes, this.limits)
    if (reason !== undefined) return
    this.#blockedByTotal.delete(processQueue)
    if (processQueue.pullState === 'blocked') this.#next(processQueue)
  }

  #later(processQueue: ProcessQueue, delayMs: number): void {
    processQueue.pullState = 'waiting'
    processQueue.timer = this.#options.clock.setTimeout(() => {
      processQueue.timer = undefined
      if (processQueue.pullState === 'waiting') this.#next(processQueue)
    }, delayMs)
  }

  #next(processQueue: ProcessQueue): void {
    if (processQueue.dropped || processQueue.isDraining || this.#state === 'stopped') return
    const { clock, queues, logger } = this.#options
    processQueue.lastPullAtMs = clock.now()
    if (processQueue.isPaused) {
      processQueue.pullState = 'idle'
      return
    }
    if (!processQueue.isOwned(clock.monotonic())) {
      this.#later(processQueue, unownedDelayMs)
      return
    }
    if (this.#state === 'suspended') {
      this.#later(processQueue, suspendedDelayMs)
      return
    }
    const reason = flowReason(processQueue, queues.ledger.bytes, this.limits)
    if (reason !== undefined) {
      processQueue.pullState = 'blocked'
      if (reason === 'bytesTotal') this.#blockedByTotal.add(processQueue)
      const { messageCount, retainedBytes, span, queue } = processQueue
      logger.debug({ ...queue, reason, messageCount, retainedBytes, span }, 'pulls held back by flow control')
      return
    }
    processQueue.pullState = 'pulling'
    void this.#pull(processQueue)
  }

  /** One pull and what follows from its answer. Never rejects. */
  async #pull(processQueue: ProcessQueue): Promise<void> {
    const { clock, client, offsets, subscriptions, commitsOffsets, retryDelayMs } = this.#options
    const subscription = subscriptions.get(processQueue.queue.topic)
    if (subscription === undefined) return this.#later(processQueue, retryDelayMs)
    const offset = processQueue.nextOffset
    const committed = commitsOffsets ? offsets.memory(processQueue.key) : undefined
    const startedMs = clock.monotonic()
    try {
      const query = {
        queue: processQueue.queue,
        offset,
        maxCount: this.#options.pullBatchSize,
        maxBytes: this.#options.pullBatchBytes,
        subscription,
        sendsExpression: this.#options.sendsExpression,
        commitOffset: committed !== undefined && committed > 0 ? committed : undefined,
        suspendMs,
        timeoutMs: pullTimeoutMs,
      }
      const answer = await client.pull(query, processQueue.key)
      if (processQueue.dropped || this.#state === 'stopped') return
      const delayMs = this.#take(processQueue, answer, clock.monotonic() - startedMs)
      if (processQueue.dropped) return
      if (delayMs > 0) this.#later(processQueue, delayMs)
      else this.#next(processQueue)
      // After the next request, which leaves at the end of this turn: the broker works while the handlers do.
      if (processQueue.hasAvailable) clock.setImmediate(() => this.#options.onMessages(processQueue))
    } catch (error) {
      if (processQueue.dropped || this.#state === 'stopped') return
      this.#later(processQueue, this.#delayAfter(processQueue, error))
    }
  }

  /** Takes an answer; returns how long to wait before the next pull. */
  #take(processQueue: ProcessQueue, answer: PullAnswer, elapsedMs: number): number {
    const { stats, offsets, pullIntervalMs } = this.#options
    const { queue, key } = processQueue
    processQueue.backlog = Math.max(0, answer.maxOffset - answer.nextBeginOffset)
    if (answer.status === 'OFFSET_ILLEGAL') {
      if (answer.isFromSlave && answer.nextBeginOffset < processQueue.nextOffset) {
        // A slave that lags behind knows less than the master did: going back would consume everything since again.
        this.#options.client.forget(key)
        return this.#options.retryDelayMs
      }
      this.#log.warn(
        'illegal',
        { ...queue, offset: processQueue.nextOffset, next: answer.nextBeginOffset },
        'offset moved',
      )
      this.#options.onOffsetIllegal(processQueue, answer.nextBeginOffset)
      return 0
    }
    const isIdle = answer.status !== 'FOUND' && answer.nextBeginOffset === processQueue.nextOffset
    processQueue.idleAnswers = isIdle && elapsedMs < heldAtLeastMs ? processQueue.idleAnswers + 1 : 0
    const added = answer.status === 'FOUND' ? this.#put(processQueue, answer) : 0
    processQueue.nextOffset = answer.nextBeginOffset
    stats.pulled(queue.topic, added, elapsedMs)
    if (added > 0) return pullIntervalMs
    // Everything below the next offset is finished or filtered away: without this, a consumer of rare tags would look at
    // the same messages again after each restart.
    if (processQueue.messageCount === 0) offsets.update(key, queue, processQueue.nextOffset, true)
    if (processQueue.idleAnswers <= idleAnswersTolerated) return 0
    return Math.min(idleDelayMaxMs, flowControlDelayMs * 2 ** (processQueue.idleAnswers - idleAnswersTolerated))
  }

  #put(processQueue: ProcessQueue, answer: PullAnswer): number {
    const { userTopic, namespace, subscriptions } = this.#options
    const { queue } = processQueue
    const { minOffset, maxOffset, offsetDelta } = answer
    const from = { queue, topic: userTopic(queue.topic), namespace, minOffset, maxOffset, offsetDelta }
    const batch = PulledBatch.decode(from, answer.body)
    const subscription = subscriptions.get(queue.topic)
    if (subscription !== undefined) filterByTag(batch, subscription)
    return processQueue.put(batch)
  }

  #delayAfter(processQueue: ProcessQueue, error: unknown): number {
    const isRefusal = RocketMqError.is(error) && error.code === 'RESPONSE_ERROR'
    if (isRefusal && error.details.responseCode === ResponseCode.FLOW_CONTROL) return flowControlDelayMs
    // The retry topic of a new group comes into being a moment after the group; its absence is no news.
    if (!processQueue.isRetry) {
      const { queue } = processQueue
      this.#log.warn(queue.brokerName, { ...queue, err: error }, 'pull failed; trying again')
    }
    return this.#options.retryDelayMs
  }
}
