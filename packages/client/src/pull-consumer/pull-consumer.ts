import {
  buildSubscription,
  type ExpressionType,
  type MessageQueue,
  messageQueueKey,
  withNamespace,
  withoutNamespace,
} from '@rocketmq-ts/model'
import { RocketMqError, type Timer } from '@rocketmq-ts/runtime'
import { ClientInstance } from '../client-instance.ts'
import { filterByTag } from '../consume/filter-by-tag.ts'
import { PullClient, type PullStatus } from '../consume/pull-client.ts'
import { PulledBatch } from '../consume/pulled-batch.ts'
import { queueMaxOffset, queueMinOffset, queueOffsetByTime } from '../consume/queue-offsets.ts'
import { messagesOf, ReceivedMessage } from '../consume/received-message.ts'
import { SendBack } from '../consume/send-back.ts'
import { newOffsetStore } from '../offset-store/new-offset-store.ts'
import type { OffsetStore } from '../offset-store/offset-store.ts'
import type { PushConsumerPorts } from '../push-consumer/options.ts'
import { SubscriptionTable } from '../push-consumer/subscription-table.ts'
import { type PullConsumerOptions, type ResolvedPullOptions, resolvePullOptions } from './options.ts'
import { PullRegistration } from './pull-registration.ts'

const maxBytesWish = 2_147_483_647
const sendBackTimeoutMs = 3000

/** What to pull. */
export interface PullOptions {
  /** First offset wanted, 0 or more. */
  offset: number
  /** Messages at most; brokers give at most 32 by default. Default 32. */
  maxCount?: number
  /** Tags as `a || b`, or SQL92 with `expressionType`. Default `*`. */
  expression?: string
  expressionType?: ExpressionType
  /** Default `consumerPullTimeoutMs`, or `consumerTimeoutMsWhenSuspend` for a blocking pull. */
  timeoutMs?: number
  /** Rejects with `ABORTED`. */
  signal?: AbortSignal
}

/**
 * What a pull brought. `FOUND`: messages (perhaps none, when their tags only looked alike). `NO_NEW_MSG`: the end of the
 * queue. `NO_MATCHED_MSG`: there were messages, none wanted. `OFFSET_ILLEGAL`: the offset is outside the queue. In each case
 * the next pull begins at `nextBeginOffset`.
 */
export interface PullResult {
  readonly status: PullStatus
  readonly messages: ReceivedMessage[]
  readonly nextBeginOffset: number
  readonly minOffset: number
  /** One above the newest message. */
  readonly maxOffset: number
}

/** Leaves the loop, the pace and the offsets to its user: each pull is one request. */
export class PullConsumer implements AsyncDisposable {
  readonly #options: ResolvedPullOptions
  readonly #instance: ClientInstance
  readonly #client: PullClient
  readonly #sendBack: SendBack
  readonly #offsets: OffsetStore
  readonly #registration: PullRegistration
  /** Queues whose offsets the user has set: what is stored by the timer and at the end. */
  readonly #touched = new Map<string, MessageQueue>()
  #timer: Timer | undefined
  #state: 'created' | 'running' | 'closed' = 'created'
  #closing: Promise<void> | undefined

  /** Use {@link createPullConsumer}. */
  constructor(options: ResolvedPullOptions) {
    this.#options = options
    const subscriptions = new SubscriptionTable(options.client.namespace)
    const now = options.client.ports.clock.now()
    for (const [topic, expression] of Object.entries(options.subscriptions)) subscriptions.set(topic, expression, now)
    const instance = ClientInstance.acquire(options.client, { consumerGroup: options.wireGroup })
    const logger = instance.logger.child({ group: options.group })
    this.#instance = instance
    this.#client = new PullClient(instance, options.wireGroup)
    this.#offsets = newOffsetStore(instance, options, logger)
    this.#sendBack = new SendBack({
      instance,
      group: options.wireGroup,
      maxReconsumeTimes: options.maxReconsumeTimes,
      unitMode: options.client.unitMode,
      timeoutMs: sendBackTimeoutMs,
    })
    this.#registration = new PullRegistration({
      instance,
      logger,
      options,
      subscriptions,
      offsets: this.#offsets,
      touched: this.#touched,
      userQueue: queue => this.#userQueue(queue),
    })
  }

  get group(): string {
    return this.#options.group
  }

  get clientId(): string {
    return this.#instance.clientId
  }

  /** Called by {@link createPullConsumer}. Rejects with `INVALID_STATE`, `NO_NAME_SERVER` or `CONFIG_INVALID`. */
  async start(): Promise<void> {
    if (this.#state !== 'created') throw this.#wrongState()
    this.#state = 'running'
    try {
      await this.#offsets.load()
      await this.#registration.start()
      const { persistIntervalMs } = this.#options
      this.#timer = this.#instance.clock.setInterval(() => void this.#persist(false), persistIntervalMs)
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** All queues of a topic that can be read. Rejects with `NO_ROUTE`. */
  async fetchMessageQueues(topic: string): Promise<MessageQueue[]> {
    this.#assertRunning()
    const queues = await this.#instance.routes.subscribeQueues(withNamespace(this.#options.client.namespace, topic))
    return queues.map(queue => this.#userQueue(queue))
  }

  /** The queues of a subscribed topic that this member should pull: those the last rebalance gave it. */
  queuesInBalance(topic: string): MessageQueue[] {
    const wireTopic = withNamespace(this.#options.client.namespace, topic)
    return this.#registration.queuesOf(wireTopic).map(queue => this.#userQueue(queue))
  }

  /**
   * Pulls once; answered at once, also when there is nothing. Rejects with `INVALID_ARGUMENT`, `INVALID_STATE`,
   * `BROKER_NOT_FOUND`, `REQUEST_TIMEOUT`, `ABORTED` and other transport codes, or `RESPONSE_ERROR`.
   */
  pull(queue: MessageQueue, options: PullOptions): Promise<PullResult> {
    return this.#pull(queue, options, 0, this.#options.pullTimeoutMs)
  }

  /**
   * Pulls once; when there is nothing, the broker holds the pull until there is, or `brokerSuspendMaxTimeMs` are over.
   * Rejects as {@link pull}.
   */
  pullBlockIfNotFound(queue: MessageQueue, options: PullOptions): Promise<PullResult> {
    return this.#pull(queue, options, this.#options.suspendMs, this.#options.blockingTimeoutMs)
  }

  /**
   * The group's offset for a queue: what {@link updateConsumeOffset} set, else what is stored; with `fromStore` what is
   * stored. Undefined when there is none. Rejects when the store can't be asked.
   */
  async fetchConsumeOffset(queue: MessageQueue, options: { fromStore?: boolean } = {}): Promise<number | undefined> {
    this.#assertRunning()
    const wireQueue = this.#wireQueue(queue)
    const key = messageQueueKey(wireQueue)
    const known = options.fromStore ? undefined : this.#offsets.memory(key)
    return known ?? (await this.#offsets.stored(key, wireQueue))
  }

  /** Sets the group's offset for a queue; it is stored every few seconds and by {@link close}. */
  updateConsumeOffset(queue: MessageQueue, offset: number): void {
    this.#assertRunning()
    if (!Number.isSafeInteger(offset) || offset < 0) throw invalid(`offset ${offset} is no whole number of 0 or more`)
    const wireQueue = this.#wireQueue(queue)
    const key = messageQueueKey(wireQueue)
    this.#touched.set(key, wireQueue)
    this.#offsets.update(key, wireQueue, offset, false)
  }

  /** Stores the queue's offset now. Resolves when that was tried; a failure is logged, and tried again by the timer. */
  async persistConsumeOffset(queue: MessageQueue): Promise<void> {
    this.#assertRunning()
    const wireQueue = this.#wireQueue(queue)
    await this.#offsets.persist(messageQueueKey(wireQueue), wireQueue)
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

  /** The offset of the first message stored at or after a time; with 'UPPER' of the last at or before it. */
  async searchOffset(queue: MessageQueue, time: Date | number, boundary: 'LOWER' | 'UPPER' = 'LOWER'): Promise<number> {
    this.#assertRunning()
    return await queueOffsetByTime(this.#instance, this.#wireQueue(queue), Number(time), boundary)
  }

  /** Gives a message back for later delivery to the group's push consumers. Rejects with `SEND_FAILED`. */
  async sendMessageBack(
    message: ReceivedMessage,
    options: { delayLevel?: number; brokerName?: string } = {},
  ): Promise<void> {
    this.#assertRunning()
    await this.#sendBack.send(message, options.delayLevel ?? 0, options.brokerName)
  }

  /** Stores offsets, then tells the brokers. Never rejects; later calls share the first one's result. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #pull(queue: MessageQueue, options: PullOptions, suspendMs: number, timeoutMs: number): Promise<PullResult> {
    this.#assertRunning()
    const { offset, maxCount = 32, expression = '*', expressionType = 'TAG', signal } = options
    if (!Number.isSafeInteger(offset) || offset < 0) throw invalid(`offset ${offset} is no whole number of 0 or more`)
    if (!Number.isSafeInteger(maxCount) || maxCount <= 0)
      throw invalid(`maxCount ${maxCount} is no whole number above 0`)
    const wireQueue = this.#wireQueue(queue)
    const version = expressionType === 'TAG' ? 0 : this.#instance.clock.now()
    const subscription = buildSubscription(wireQueue.topic, expression, expressionType, version)
    const query = {
      queue: wireQueue,
      offset,
      maxCount,
      maxBytes: maxBytesWish,
      subscription,
      sendsExpression: true,
      commitOffset: undefined,
      suspendMs,
      timeoutMs: options.timeoutMs ?? timeoutMs,
      ...(signal ? { signal } : {}),
    }
    const answer = await this.#client.pull(query, messageQueueKey(wireQueue))
    const { status, nextBeginOffset, minOffset, maxOffset, offsetDelta, body } = answer
    const namespace = this.#options.client.namespace ?? ''
    const from = { queue: wireQueue, topic: queue.topic, namespace, minOffset, maxOffset, offsetDelta }
    const batch = PulledBatch.decode(from, body)
    filterByTag(batch, subscription)
    return { status, messages: messagesOf(batch, ReceivedMessage), nextBeginOffset, minOffset, maxOffset }
  }

  #persist(confirmed: boolean): Promise<void> {
    return this.#offsets.persistAll([...this.#touched.values()], { confirmed })
  }

  async #close(): Promise<void> {
    this.#state = 'closed'
    this.#timer?.cancel()
    await this.#registration.stop()
    if (this.#touched.size > 0) await this.#persist(true)
    await this.#instance.unregisterConsumer(this.#options.wireGroup)
    await this.#instance.release()
  }

  #wireQueue(queue: MessageQueue): MessageQueue {
    const { topic, brokerName, queueId } = queue
    return { topic: withNamespace(this.#options.client.namespace, topic), brokerName, queueId }
  }

  #userQueue(queue: MessageQueue): MessageQueue {
    const { namespace } = this.#options.client
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
 * A pull consumer, ready for use. Rejects with `INVALID_ARGUMENT` naming the option, or as {@link PullConsumer.start}.
 */
export function createPullConsumer(options: PullConsumerOptions): Promise<PullConsumer> {
  return createPullConsumerWith(options, {})
}

/** The same with ports of the caller's choice, for tests and simulations. */
export async function createPullConsumerWith(
  options: PullConsumerOptions,
  ports: PushConsumerPorts,
): Promise<PullConsumer> {
  const consumer = new PullConsumer(resolvePullOptions(options, ports))
  await consumer.start()
  return consumer
}

function invalid(what: string): RocketMqError {
  return new RocketMqError('INVALID_ARGUMENT', what)
}
