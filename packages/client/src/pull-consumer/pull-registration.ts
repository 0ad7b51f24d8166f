import { type MessageQueue, messageQueueKey, type SubscriptionData } from '@rocketmq-ts/model'
import type { Logger } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'
import { assertNameServers } from '../consume/assert-name-servers.ts'
import type {
  ConsumeDirectlyResult,
  ConsumeFromWhere,
  ConsumerRegistration,
  ConsumeType,
  MessageModel,
  QueueOffset,
  RunningInfo,
} from '../consume/consumer-registration.ts'
import type { OffsetStore } from '../offset-store/offset-store.ts'
import type { SubscriptionTable } from '../push-consumer/subscription-table.ts'
import { Rebalancer, type RebalanceTarget } from '../rebalance/rebalancer.ts'
import type { ResolvedPullOptions } from './options.ts'

export interface PullRegistrationOptions {
  instance: ClientInstance
  logger: Logger
  options: ResolvedPullOptions
  subscriptions: SubscriptionTable
  offsets: OffsetStore
  /** Queues whose offsets the user has set. */
  touched: ReadonlyMap<string, MessageQueue>
  userQueue(queue: MessageQueue): MessageQueue
}

/**
 * A pull consumer as brokers and other members of its group see it, and its share of the queues. Nothing is pulled here.
 * Source: DefaultMQPullConsumerImpl, RebalancePullImpl, 5.3.x
 */
export class PullRegistration implements ConsumerRegistration, RebalanceTarget {
  readonly consumeType: ConsumeType = 'CONSUME_ACTIVELY'
  readonly consumeFromWhere: ConsumeFromWhere = 'CONSUME_FROM_LAST_OFFSET'
  readonly #deps: PullRegistrationOptions
  readonly #rebalancer: Rebalancer | undefined
  readonly #held = new Map<string, MessageQueue>()

  constructor(deps: PullRegistrationOptions) {
    this.#deps = deps
    const { instance, logger, options, subscriptions } = deps
    if (!options.enableRebalance || subscriptions.all().length === 0) return
    this.#rebalancer = new Rebalancer({
      instance,
      group: options.wireGroup,
      messageModel: options.messageModel,
      strategy: options.allocateStrategy,
      target: this,
      logger,
      intervalMs: options.rebalanceIntervalMs,
    })
  }

  get group(): string {
    return this.#deps.options.wireGroup
  }

  get messageModel(): MessageModel {
    return this.#deps.options.messageModel
  }

  get unitMode(): boolean {
    return this.#deps.options.client.unitMode
  }

  /** Registers, sends heartbeats and runs the first rebalance. Rejects as `ClientInstance#start`. */
  async start(): Promise<void> {
    const { instance, subscriptions } = this.#deps
    instance.registerConsumer(this.group, this)
    await instance.start()
    assertNameServers(instance)
    await Promise.all([...subscriptions.topics()].map(topic => instance.routes.refresh(topic)))
    await instance.sendHeartbeats()
    await this.#rebalancer?.start()
  }

  async stop(): Promise<void> {
    await this.#rebalancer?.stop()
  }

  queuesOf(wireTopic: string): MessageQueue[] {
    return [...this.#held.values()].filter(queue => queue.topic === wireTopic)
  }

  subscriptions(): SubscriptionData[] {
    return this.#deps.subscriptions.all()
  }

  onConsumerIdsChanged(): void {
    this.#rebalancer?.wake()
  }

  /** Only push consumers follow such a request; the user of a pull consumer owns its offsets. */
  resetOffsets(): void {}

  consumedOffsets(topic: string): QueueOffset[] {
    const result: QueueOffset[] = []
    for (const [key, queue] of this.#deps.touched) {
      const offset = queue.topic === topic ? this.#deps.offsets.memory(key) : undefined
      if (offset !== undefined) result.push([queue, offset])
    }
    return result
  }

  runningInfo(): RunningInfo {
    const { instance, options, subscriptions } = this.#deps
    const properties = {
      consumerGroup: options.wireGroup,
      messageModel: options.messageModel,
      PROP_CONSUME_TYPE: this.consumeType,
      PROP_NAMESERVER_ADDR: instance.nameServers.addresses.map(address => `${address};`).join(''),
    }
    return { properties, subscriptionSet: subscriptions.all(), mqTable: [], statusTable: {} }
  }

  async consumeDirectly(): Promise<ConsumeDirectlyResult | undefined> {
    return undefined
  }

  topics(): Iterable<string> {
    return this.#deps.subscriptions.topics()
  }

  heldQueues(): Iterable<MessageQueue> {
    return this.#held.values()
  }

  isStale(): boolean {
    return false
  }

  async revoke(queue: MessageQueue): Promise<void> {
    const key = messageQueueKey(queue)
    this.#held.delete(key)
    await this.#deps.offsets.persist(key, queue)
  }

  async assign(queue: MessageQueue): Promise<boolean> {
    this.#held.set(messageQueueKey(queue), queue)
    return true
  }

  onChanged(topic: string, all: readonly MessageQueue[], mine: readonly MessageQueue[]): void {
    const { options, userQueue } = this.#deps
    const userTopic = userQueue({ topic, brokerName: '', queueId: 0 }).topic
    options.onQueuesChanged?.(userTopic, all.map(userQueue), mine.map(userQueue))
  }
}
