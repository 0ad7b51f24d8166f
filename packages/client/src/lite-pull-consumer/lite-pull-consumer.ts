import { type MessageQueue, messageQueueKey, withNamespace, withoutNamespace } from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { ClientInstance } from '../client-instance.ts'
import { queueMaxOffset, queueMinOffset, queueOffsetByTime } from '../consume/queue-offsets.ts'
import type { ReceivedMessage } from '../consume/received-message.ts'
import type { PushConsumerPorts } from '../push-consumer/options.ts'
import { type SubscriptionExpression, SubscriptionTable } from '../push-consumer/subscription-table.ts'
import { LiteQueues } from './lite-queues.ts'
import { type LitePullConsumerOptions, type ResolvedLitePullOptions, resolveLitePullOptions } from './options.ts'

/** Settings of one poll. */
export interface PollOptions {
  /** How long to wait when nothing is here, ms; default `pollTimeoutMs`. */
  timeoutMs?: number
  /** Messages at most. Default 32. */
  maxCount?: number
  /** Ends the wait; the poll then resolves to what is here, as a rule nothing. */
  signal?: AbortSignal
}

/**
 * Pulls by itself, and hands messages out when asked: a queue's in order, one asker at a time. Whoever asks for more is done
 * with what it got before; that is then committed, unless `autoCommit` is off.
 * Source: DefaultLitePullConsumerImpl, 5.3.x
 */
export class LitePullConsumer implements AsyncDisposable {
  readonly #options: ResolvedLitePullOptions
  readonly #instance: ClientInstance
  readonly #subscriptions: SubscriptionTable
  readonly #isSubscribed: boolean
  readonly #queues: LiteQueues
  #state: 'created' | 'running' | 'closed' = 'created'
  #closing: Promise<void> | undefined
  #isAsked = false
  readonly #watches = new Set<() => void>()
  #assigning: Promise<void> = Promise.resolve()
  #lastCommitMs = Number.NEGATIVE_INFINITY

  /** Use {@link createLitePullConsumer}. */
  constructor(options: ResolvedLitePullOptions) {
    const { shared } = options
    this.#options = options
    this.#subscriptions = new SubscriptionTable(shared.client.namespace)
    const now = shared.client.ports.clock.now()
    const subscriptions = Object.entries(shared.subscriptions)
    for (const [topic, expression] of subscriptions) this.#subscriptions.set(topic, expression, now)
    this.#isSubscribed = subscriptions.length > 0
    this.#instance = ClientInstance.acquire(shared.client, { consumerGroup: shared.wireGroup })
    this.#queues = new LiteQueues({
      instance: this.#instance,
      logger: this.#instance.logger.child({ group: shared.group }),
      options,
      subscriptions: this.#subscriptions,
      isSubscribed: this.#isSubscribed,
      userQueue: queue => this.#userQueue(queue),
    })
  }

  get group(): string {
    return this.#options.shared.group
  }

  get clientId(): string {
    return this.#instance.clientId
  }

  /** Called by {@link createLitePullConsumer}. Rejects with `INVALID_STATE`, `NO_NAME_SERVER` or `CONFIG_INVALID`. */
  async start(): Promise<void> {
    if (this.#state !== 'created') throw this.#wrongState()
    this.#state = 'running'
    try {
      await this.#queues.start()
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** Queues read now. */
  assignment(): MessageQueue[] {
    return [...this.#queues.heldQueues()].map(queue => this.#userQueue(queue))
  }

  /**
   * Chooses the queues to read, instead of those before; not for a consumer with `subscriptions`. Nobody else is kept from
   * reading them. `expression` holds for all their topics. Resolves when those given up have their offsets stored. Rejects
   * with `INVALID_STATE` or `INVALID_ARGUMENT`.
   */
  assign(queues: readonly MessageQueue[], expression: SubscriptionExpression = '*'): Promise<void> {
    const result = this.#assigning.then(() => this.#assign(queues, expression))
    this.#assigning = result.catch(() => {})
    return result
  }

  /**
   * Up to `maxCount` messages; waits for the first one. Resolves to none when time is up or the consumer is closed. Rejects
   * with `INVALID_STATE` when another poll or loop is on.
   */
  async poll(options: PollOptions = {}): Promise<ReceivedMessage[]> {
    const { timeoutMs = this.#options.pollTimeoutMs, maxCount = 32, signal } = options
    if (!(timeoutMs >= 0)) throw invalid(`timeoutMs ${timeoutMs} is below 0`)
    if (!Number.isSafeInteger(maxCount) || maxCount < 1)
      throw invalid(`maxCount ${maxCount} is no whole number above 0`)
    this.#beginAsking()
    try {
      return await this.#next(maxCount, timeoutMs, signal)
    } finally {
      this.#isAsked = false
    }
  }

  /**
   * The messages as an async iterable. The loop ends when the consumer is closed or `signal` is aborted. Each message is done
   * when the next one is asked for; the one at which the loop is left is not. Rejects as {@link poll}.
   */
  async *messages(options: { signal?: AbortSignal } = {}): AsyncGenerator<ReceivedMessage, void, undefined> {
    const { signal } = options
    this.#beginAsking()
    try {
      while (this.#state === 'running' && !signal?.aborted) {
        const [message] = await this.#next(1, undefined, signal)
        if (message !== undefined) yield message
      }
    } finally {
      this.#isAsked = false
    }
  }

  /**
   * Commits what was handed out so far, or the given offsets (queue → next offset to read). Resolves when the broker has
   * answered; a failure is logged and tried again. Rejects with `INVALID_STATE` or `INVALID_ARGUMENT`.
   */
  async commit(offsets?: ReadonlyMap<MessageQueue, number>): Promise<void> {
    this.#assertRunning()
    if (offsets === undefined) {
      this.#queues.noteCommits('delivered')
    } else {
      for (const [queue, offset] of offsets) {
        if (!Number.isSafeInteger(offset) || offset < 0)
          throw invalid(`offset ${offset} is no whole number of 0 or more`)
        this.#assertAssigned(queue)
      }
      for (const [queue, offset] of offsets) {
        const wireQueue = this.#wireQueue(queue)
        this.#queues.offsets.update(messageQueueKey(wireQueue), wireQueue, offset, false)
      }
    }
    await this.#queues.persist(true)
  }

  /** The group's stored offset of a queue; undefined when there is none. */
  async committed(queue: MessageQueue): Promise<number | undefined> {
    this.#assertRunning()
    const wireQueue = this.#wireQueue(queue)
    const key = messageQueueKey(wireQueue)
    return this.#queues.offsets.memory(key) ?? (await this.#queues.offsets.stored(key, wireQueue))
  }

  /**
   * Reads an assigned queue from `offset` on; what was pulled of it is forgotten. Rejects with `INVALID_ARGUMENT` when the
   * queue is not assigned or has no such offset.
   */
  async seek(queue: MessageQueue, offset: number): Promise<void> {
    this.#assertAssigned(queue)
    const [min, max] = await Promise.all([this.minOffset(queue), this.maxOffset(queue)])
    if (!Number.isSafeInteger(offset) || offset < min || offset > max) {
      throw invalid(`Seek offset illegal, seek offset = ${offset}, min offset = ${min}, max offset = ${max}`)
    }
    this.#seek(queue, offset)
  }

  /** Reads an assigned queue from its oldest message on. Rejects as {@link seek}. */
  async seekToBegin(queue: MessageQueue): Promise<void> {
    this.#assertAssigned(queue)
    this.#seek(queue, await this.minOffset(queue))
  }

  /** Reads of an assigned queue only what comes from now on. Rejects as {@link seek}. */
  async seekToEnd(queue: MessageQueue): Promise<void> {
    this.#assertAssigned(queue)
    this.#seek(queue, await this.maxOffset(queue))
  }

  /** Pulls nothing more of these queues; what is here is still handed out. Those not assigned are ignored. */
  pause(queues: readonly MessageQueue[]): void {
    for (const processQueue of this.#held(queues)) processQueue.isPaused = true
  }

  resume(queues: readonly MessageQueue[]): void {
    for (const processQueue of this.#held(queues)) {
      processQueue.isPaused = false
      this.#queues.puller.start(processQueue)
    }
  }

  /** The offset of the first message stored at or after a time. */
  async offsetForTimestamp(queue: MessageQueue, time: Date | number): Promise<number> {
    this.#assertRunning()
    return await queueOffsetByTime(this.#instance, this.#wireQueue(queue), Number(time))
  }

  /** The offset that the queue's next message will get. */
  async maxOffset(queue: MessageQueue): Promise<number> {
    this.#assertRunning()
    return await queueMaxOffset(this.#instance, this.#wireQueue(queue))
  }

  /** The offset of the queue's oldest message. */
  async minOffset(queue: MessageQueue): Promise<number> {
    this.#assertRunning()
    return await queueMinOffset(this.#instance, this.#wireQueue(queue))
  }

  /** All queues of a topic that can be read. Rejects with `NO_ROUTE`. */
  async fetchMessageQueues(topic: string): Promise<MessageQueue[]> {
    this.#assertRunning()
    const wireTopic = withNamespace(this.#options.shared.client.namespace, topic)
    return (await this.#instance.routes.subscribeQueues(wireTopic)).map(queue => this.#userQueue(queue))
  }

  /**
   * Calls `listener` with all queues of a topic whenever they are others than before (routes are looked at every 30 s). Returns
   * what ends that. What `listener` throws is logged.
   */
  watchQueues(topic: string, listener: (queues: readonly MessageQueue[]) => void): () => void {
    this.#assertRunning()
    const { routes, logger } = this.#instance
    const wireTopic = withNamespace(this.#options.shared.client.namespace, topic)
    const keysNow = () => (routes.cachedSubscribeQueues(wireTopic) ?? []).map(messageQueueKey).sort().join()
    let keys = keysNow()
    const unwatch = routes.onChange(wireTopic, () => {
      const fresh = keysNow()
      if (fresh === keys) return
      keys = fresh
      try {
        listener((routes.cachedSubscribeQueues(wireTopic) ?? []).map(queue => this.#userQueue(queue)))
      } catch (error) {
        logger.error({ topic, err: error }, 'listener of a topic queues threw')
      }
    })
    this.#watches.add(unwatch)
    void routes.refresh(wireTopic)
    return () => {
      unwatch()
      this.#watches.delete(unwatch)
    }
  }

  /** Stores what is committed, then tells the brokers. Never rejects; later calls share the first one's result. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#state = 'closed'
    for (const unwatch of this.#watches) unwatch()
    await this.#assigning
    await this.#queues.stop()
    await this.#instance.release()
  }

  async #assign(queues: readonly MessageQueue[], expression: SubscriptionExpression): Promise<void> {
    this.#assertRunning()
    if (this.#isSubscribed) {
      throw new RocketMqError('INVALID_STATE', 'Subscribe and assign are mutually exclusive.')
    }
    const now = this.#instance.clock.now()
    for (const topic of new Set(queues.map(queue => queue.topic))) this.#subscriptions.set(topic, expression, now)
    const wanted = new Map(queues.map(queue => [messageQueueKey(this.#wireQueue(queue)), this.#wireQueue(queue)]))
    const held = [...this.#queues.heldQueues()]
    const revoked = held.filter(queue => !wanted.has(messageQueueKey(queue)))
    await Promise.all(revoked.map(queue => this.#queues.revoke(queue)))
    for (const queue of held) wanted.delete(messageQueueKey(queue))
    await Promise.all([...wanted.values()].map(queue => this.#queues.assign(queue, { isShared: false })))
  }

  async #next(
    maxCount: number,
    timeoutMs: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ReceivedMessage[]> {
    const { delivery } = this.#queues
    const { clock } = this.#instance
    delivery.settle()
    this.#commitIfDue()
    let messages = delivery.take(maxCount)
    const endsMs = clock.monotonic() + (timeoutMs ?? Number.POSITIVE_INFINITY)
    while (messages.length === 0 && this.#state === 'running' && !signal?.aborted) {
      const leftMs = endsMs - clock.monotonic()
      if (leftMs <= 0) break
      await delivery.wait(timeoutMs === undefined ? undefined : leftMs, signal)
      if (this.#state === 'running') messages = delivery.take(maxCount)
    }
    return messages
  }

  #commitIfDue(): void {
    const { autoCommit, autoCommitIntervalMs } = this.#options
    const now = this.#instance.clock.monotonic()
    if (!autoCommit || now - this.#lastCommitMs < autoCommitIntervalMs) return
    this.#lastCommitMs = now
    this.#queues.noteCommits('consumed')
    void this.#queues.persist(false)
  }

  #seek(queue: MessageQueue, offset: number): void {
    if (!this.#queues.seek(messageQueueKey(this.#wireQueue(queue)), offset)) throw this.#notAssigned(queue)
  }

  #held(queues: readonly MessageQueue[]) {
    this.#assertRunning()
    return queues
      .map(queue => this.#queues.queues.get(messageQueueKey(this.#wireQueue(queue))))
      .filter(processQueue => processQueue !== undefined)
  }

  #beginAsking(): void {
    this.#assertRunning()
    if (this.#isAsked) {
      throw new RocketMqError('INVALID_STATE', 'another poll or loop is on: who asks for more is done with what it got')
    }
    this.#isAsked = true
  }

  #assertAssigned(queue: MessageQueue): void {
    this.#assertRunning()
    if (this.#queues.queues.get(messageQueueKey(this.#wireQueue(queue))) === undefined) throw this.#notAssigned(queue)
  }

  #notAssigned(queue: MessageQueue): RocketMqError {
    const why = this.#isSubscribed ? ', may be rebalancing' : ''
    return invalid(`The message queue is not in assigned list${why}, message queue: ${messageQueueKey(queue)}`)
  }

  #wireQueue(queue: MessageQueue): MessageQueue {
    const { topic, brokerName, queueId } = queue
    return { topic: withNamespace(this.#options.shared.client.namespace, topic), brokerName, queueId }
  }

  #userQueue(queue: MessageQueue): MessageQueue {
    const { namespace } = this.#options.shared.client
    return namespace === undefined ? queue : { ...queue, topic: withoutNamespace(queue.topic, namespace) }
  }

  #assertRunning(): void {
    if (this.#state !== 'running') throw this.#wrongState()
  }

  #wrongState(): RocketMqError {
    return new RocketMqError('INVALID_STATE', `the consumer is ${this.#state}, not running`)
  }
}

/**
 * A lite pull consumer, ready for use. Rejects with `INVALID_ARGUMENT` naming the option, or as
 * {@link LitePullConsumer.start}.
 */
export function createLitePullConsumer(options: LitePullConsumerOptions): Promise<LitePullConsumer> {
  return createLitePullConsumerWith(options, {})
}

/** The same with ports of the caller's choice, for tests and simulations. */
export async function createLitePullConsumerWith(
  options: LitePullConsumerOptions,
  ports: PushConsumerPorts,
): Promise<LitePullConsumer> {
  const consumer = new LitePullConsumer(resolveLitePullOptions(options, ports))
  await consumer.start()
  return consumer
}

function invalid(what: string): RocketMqError {
  return new RocketMqError('INVALID_ARGUMENT', what)
}
