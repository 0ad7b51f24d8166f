import { type MessageQueue, retryTopic, withNamespace, withoutNamespace } from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { ClientInstance } from '../client-instance.ts'
import type { DeliveredMessage, ReceivedMessage } from '../consume/received-message.ts'
import type { MessageHandler } from './consume-service.ts'
import type { IterateOptions } from './message-iterator.ts'
import {
  type PushConsumerOptions,
  type PushConsumerPorts,
  type ResolvedPushOptions,
  resolvePushOptions,
} from './options.ts'
import { RunningConsumer } from './running-consumer.ts'
import { type SubscriptionExpression, SubscriptionTable } from './subscription-table.ts'

/** Where a push consumer is in its life. It runs once. */
export type PushConsumerState = 'created' | 'starting' | 'running' | 'closing' | 'closed'

/**
 * Receives the messages of its subscriptions as they come: through a handler given to {@link start}, or through
 * {@link messages}. Together with the other members of its group it divides the topics' queues.
 *
 * ```ts
 * await using consumer = await createPushConsumer({ nameServers, group: 'billing', subscriptions: { orders: '*' } })
 * await consumer.start(async ([message]) => charge(message.body))
 * // or: for await (const message of consumer.messages({ signal })) { await charge(message.body); message.ack() }
 * ```
 */
export class PushConsumer implements AsyncDisposable {
  readonly #options: ResolvedPushOptions
  readonly #subscriptions: SubscriptionTable
  #state: PushConsumerState = 'created'
  #instance: ClientInstance | undefined
  #running: RunningConsumer | undefined
  #starting: Promise<void> | undefined
  #closing: Promise<void> | undefined

  /** Use {@link createPushConsumer}. */
  constructor(options: ResolvedPushOptions) {
    this.#options = options
    this.#subscriptions = new SubscriptionTable(options.client.namespace)
    const now = options.client.ports.clock.now()
    for (const [topic, expression] of Object.entries(options.subscriptions))
      this.#subscriptions.set(topic, expression, now)
    if (options.messageModel === 'CLUSTERING') this.#subscriptions.setWire(retryTopic(options.wireGroup), now)
  }

  get group(): string {
    return this.#options.group
  }

  get state(): PushConsumerState {
    return this.#state
  }

  /** The id by which brokers and tools know this member; undefined before the start. */
  get clientId(): string | undefined {
    return this.#instance?.clientId
  }

  /** Queues held now; that of the retry topic included. */
  get heldQueues(): MessageQueue[] {
    if (this.#running === undefined) return []
    return [...this.#running.queues.values()].map(processQueue => this.#userQueue(processQueue.queue))
  }

  /**
   * Adds a topic or replaces its expression. All members of the group must do the same. On a running consumer its queues
   * come with the rebalance that follows. Throws `INVALID_ARGUMENT`, or `INVALID_STATE` when closed.
   */
  subscribe(topic: string, expression: SubscriptionExpression = '*'): void {
    this.#refuseClosed()
    this.#subscriptions.set(topic, expression, this.#options.client.ports.clock.now())
    this.#subscriptionsChanged()
  }

  /** Ends the consumption of a topic; its queues are given up with their offsets stored. */
  unsubscribe(topic: string): void {
    this.#refuseClosed()
    if (this.#subscriptions.delete(topic)) this.#subscriptionsChanged()
  }

  /**
   * Starts consumption. Resolves when the first rebalance is done: the consumer is known to its brokers and pulls the
   * queues it got. A topic that doesn't exist yet is no failure; it is looked for again and again.
   *
   * Rejects with `INVALID_STATE` (started before), `INVALID_ARGUMENT` (no handler, or an expression that the broker refuses),
   * `NO_NAME_SERVER`, or `CONFIG_INVALID` (damaged offset file); the consumer is closed then.
   */
  async start(handler: MessageHandler): Promise<void> {
    if (typeof handler !== 'function') {
      throw new RocketMqError('INVALID_ARGUMENT', 'start needs a handler; to iterate over messages use messages()')
    }
    await this.#start(handler)
  }

  /**
   * The messages as an async iterable, starting the consumer if need be. Each must be acknowledged (`message.ack()`), or
   * asked for again (`message.retry()`); what is neither counts against the flow-control limits, so a slow loop slows the
   * pulls. The loop ends when the consumer is closed or `signal` is aborted. A message at which the loop is left without
   * either goes to the next one who iterates. Several loops share the messages. Rejects as {@link start}.
   */
  messages(options: IterateOptions = {}): AsyncIterableIterator<DeliveredMessage> {
    return startingIterator(async () => {
      if (this.#options.orderly) {
        throw new RocketMqError('INVALID_STATE', 'an orderly consumer needs a handler; messages() keeps no order')
      }
      if (this.#state === 'created') await this.#start(undefined)
      else await this.#starting
      if (this.#state === 'closed' || this.#state === 'closing') return undefined
      const iterator = this.#running?.iterator
      if (iterator === undefined) {
        throw new RocketMqError('INVALID_STATE', 'this consumer has a handler; messages() is for one that has none')
      }
      return iterator.iterate(options)
    })
  }

  /** Pulls nothing more until {@link resume}; what is here already is still handled. */
  suspend(): void {
    this.#running?.puller.suspend()
    void this.#running?.rebalancer.pause()
  }

  resume(): void {
    this.#running?.puller.resume()
    this.#running?.rebalancer.resume()
  }

  get isSuspended(): boolean {
    return this.#running?.puller.isSuspended ?? false
  }

  /**
   * Gives a message back for later by hand. `delayLevel` as {@link DeliveredMessage.retry}. Resolves when a broker has stored
   * it. Rejects with `SEND_FAILED` or `INVALID_STATE`.
   */
  async sendMessageBack(
    message: ReceivedMessage,
    options: { delayLevel?: number; brokerName?: string } = {},
  ): Promise<void> {
    await this.#started().sendBack.send(message, options.delayLevel ?? 0, options.brokerName)
  }

  /** All queues of a topic that can be read. Rejects with `NO_ROUTE` or `INVALID_STATE`. */
  async fetchMessageQueues(topic: string): Promise<MessageQueue[]> {
    this.#started()
    const wireTopic = withNamespace(this.#options.client.namespace, topic)
    return (await this.#instance!.routes.subscribeQueues(wireTopic)).map(queue => this.#userQueue(queue))
  }

  /**
   * Stops pulling, waits for running handlers (`awaitTerminationMs` at most), stores offsets and tells the brokers, in this
   * order. What was pulled and not given to the user yet is left to the next owner of the queue. Never rejects; later calls
   * share the first one's result.
   */
  close(options: { awaitTerminationMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(options.awaitTerminationMs ?? this.#options.awaitTerminationMs)
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #start(handler: MessageHandler | undefined): Promise<void> {
    if (this.#state !== 'created') {
      return Promise.reject(
        new RocketMqError('INVALID_STATE', `the consumer is ${this.#state}; it can be started once`),
      )
    }
    this.#state = 'starting'
    this.#starting = this.#doStart(handler)
    // A second caller gets the failure from `start` itself.
    this.#starting.catch(() => {})
    return this.#starting
  }

  async #doStart(handler: MessageHandler | undefined): Promise<void> {
    try {
      const options = this.#options
      this.#instance = ClientInstance.acquire(options.client, { consumerGroup: options.wireGroup })
      this.#running = new RunningConsumer({
        options,
        instance: this.#instance,
        subscriptions: this.#subscriptions,
        handler,
      })
      await this.#running.start()
      if (this.#state === 'starting') this.#state = 'running'
    } catch (error) {
      this.#starting = undefined
      await this.close({ awaitTerminationMs: 0 })
      throw error
    }
  }

  async #close(awaitTerminationMs: number): Promise<void> {
    this.#state = 'closing'
    await this.#starting?.catch(() => {})
    await this.#running?.close(awaitTerminationMs)
    await this.#instance?.release()
    this.#state = 'closed'
  }

  #userQueue(queue: MessageQueue): MessageQueue {
    const { namespace } = this.#options.client
    return namespace === undefined ? queue : { ...queue, topic: withoutNamespace(queue.topic, namespace) }
  }

  #started(): RunningConsumer {
    if (this.#running !== undefined && this.#state === 'running') return this.#running
    throw new RocketMqError('INVALID_STATE', `the consumer is ${this.#state}, not running`)
  }

  #refuseClosed(): void {
    if (this.#state !== 'closing' && this.#state !== 'closed') return
    throw new RocketMqError('INVALID_STATE', `the consumer is ${this.#state}`)
  }

  #subscriptionsChanged(): void {
    if (this.#state === 'running' || this.#state === 'starting') void this.#running?.subscriptionsChanged()
  }
}

/**
 * A push consumer. With a `handler` among the options it is started already, as by {@link PushConsumer.start}; without, it
 * waits for `start` or `messages`. Rejects with `INVALID_ARGUMENT` naming the option, or as `start`.
 */
export function createPushConsumer(options: PushConsumerOptions): Promise<PushConsumer> {
  return createPushConsumerWith(options, {})
}

/** The same with ports of the caller's choice, for tests and simulations. */
export async function createPushConsumerWith(
  options: PushConsumerOptions,
  ports: PushConsumerPorts,
): Promise<PushConsumer> {
  const resolved = resolvePushOptions(options, ports)
  const consumer = new PushConsumer(resolved)
  if (resolved.handler !== undefined) await consumer.start(resolved.handler)
  return consumer
}

/** An iterable whose source is made at its first `next`. `make` resolves to undefined when there is nothing to iterate. */
function startingIterator<T>(make: () => Promise<AsyncIterableIterator<T> | undefined>): AsyncIterableIterator<T> {
  let source: Promise<AsyncIterableIterator<T> | undefined> | undefined
  let ready: AsyncIterableIterator<T> | undefined
  const finished: IteratorResult<T> = { done: true, value: undefined }
  const begin = async () => {
    source ??= make()
    ready = await source
    return ready
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => (ready === undefined ? begin().then(made => made?.next() ?? finished) : ready.next()),
    return: async () => {
      source ??= Promise.resolve(undefined)
      const made = await source.catch(() => undefined)
      return (await made?.return?.()) ?? finished
    },
  }
}
