import { type MessageQueue, messageQueueKey } from '@rocketmq-ts/model'
import type { Logger, Timer } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'
import { assertNameServers } from '../consume/assert-name-servers.ts'
import { PullClient } from '../consume/pull-client.ts'
import { queueMaxOffset, queueOffsetByTime } from '../consume/queue-offsets.ts'
import { newOffsetStore } from '../offset-store/new-offset-store.ts'
import type { OffsetStore } from '../offset-store/offset-store.ts'
import { QueueTable } from '../process-queue/queue-table.ts'
import { ConsumeStats } from '../push-consumer/consume-stats.ts'
import { ConsumerFacts } from '../push-consumer/consumer-facts.ts'
import { Puller } from '../push-consumer/puller.ts'
import { QueueHolder } from '../push-consumer/queue-holder.ts'
import type { SubscriptionTable } from '../push-consumer/subscription-table.ts'
import { Rebalancer, type RebalanceTarget } from '../rebalance/rebalancer.ts'
import { Delivery } from './delivery.ts'
import type { ResolvedLitePullOptions } from './options.ts'

export interface LiteQueuesOptions {
  instance: ClientInstance
  logger: Logger
  options: ResolvedLitePullOptions
  subscriptions: SubscriptionTable
  /** Whether queues are divided by rebalancing, not chosen. */
  isSubscribed: boolean
  userQueue(queue: MessageQueue): MessageQueue
}

/** The queues of a lite pull consumer, with the parts that fill and move them: those of a push consumer, without handlers. */
export class LiteQueues implements RebalanceTarget {
  readonly queues = new QueueTable()
  readonly delivery: Delivery
  readonly offsets: OffsetStore
  readonly puller: Puller
  readonly #deps: LiteQueuesOptions
  readonly #holder: QueueHolder
  readonly #rebalancer: Rebalancer | undefined
  readonly #stats: ConsumeStats
  readonly #facts: ConsumerFacts
  #timer: Timer | undefined

  constructor(deps: LiteQueuesOptions) {
    const { instance, logger, options, subscriptions, isSubscribed } = deps
    const { shared } = options
    const { clock } = instance
    this.#deps = deps
    this.#stats = new ConsumeStats(clock)
    this.offsets = newOffsetStore(instance, shared, logger)
    this.delivery = new Delivery(clock, processQueue => this.puller.resumeBlocked(processQueue))
    this.puller = this.#newPuller()
    this.#holder = new QueueHolder({
      clock,
      logger,
      messageModel: shared.messageModel,
      queues: this.queues,
      offsets: this.offsets,
      puller: this.puller,
      rule: { consumeFromWhere: shared.consumeFromWhere, timestampMs: shared.timestampMs },
      questions: queue => ({
        maxOffset: () => queueMaxOffset(instance, queue),
        offsetByTime: time => queueOffsetByTime(instance, queue, time),
      }),
      topics: () => subscriptions.topics(),
      retryDelayMs: shared.pullRetryDelayMs,
      onChanged: () => {},
    })
    if (isSubscribed) {
      this.#rebalancer = new Rebalancer({
        instance,
        group: shared.wireGroup,
        messageModel: shared.messageModel,
        strategy: shared.allocateStrategy,
        target: this,
        logger,
        intervalMs: shared.rebalanceIntervalMs,
      })
    }
    this.#facts = this.#newFacts()
  }

  /** Registers, sends heartbeats and runs the first rebalance. Rejects as `ClientInstance#start`. */
  async start(): Promise<void> {
    const { instance, options, subscriptions } = this.#deps
    await this.offsets.load()
    instance.registerConsumer(options.shared.wireGroup, this.#facts)
    await instance.start()
    assertNameServers(instance)
    await Promise.all([...subscriptions.topics()].map(topic => instance.routes.refresh(topic)))
    await instance.sendHeartbeats()
    this.#stats.start()
    this.#timer = instance.clock.setInterval(() => void this.persist(false), options.shared.persistIntervalMs)
    await this.#rebalancer?.start()
  }

  /** Stores what is committed and says goodbye. Never rejects. */
  async stop(): Promise<void> {
    const { instance, options } = this.#deps
    this.#holder.stop()
    this.puller.stop()
    this.#timer?.cancel()
    this.#stats.stop()
    await this.#rebalancer?.stop()
    this.delivery.stop()
    if (options.autoCommit) this.noteCommits('consumed')
    await this.persist(true)
    for (const processQueue of [...this.queues.values()]) this.queues.remove(processQueue)
    await instance.unregisterConsumer(options.shared.wireGroup)
  }

  /** Carries committed offsets to the broker or file. */
  async persist(confirmed: boolean): Promise<void> {
    await this.offsets.persistAll(this.heldQueues(), { confirmed })
  }

  /** Commits, in memory, what was handed out or what its user is done with. */
  noteCommits(of: 'delivered' | 'consumed'): void {
    for (const { key, queue } of this.queues.values()) {
      const offset = this.delivery.committable(key, of)
      if (offset !== undefined) this.offsets.update(key, queue, offset, false)
    }
  }

  /** Reads the queue from `offset` on, forgetting what was pulled. False when it is not held. */
  seek(key: string, offset: number): boolean {
    const { clock } = this.#deps.instance
    const old = this.queues.get(key)
    if (old === undefined || old.isDraining) return false
    this.puller.forget(old)
    this.queues.remove(old)
    const processQueue = this.queues.add(old.queue, { nextOffset: offset, nowMs: clock.now() })
    processQueue.isPaused = old.isPaused
    this.delivery.moveTo(key, offset)
    this.puller.start(processQueue)
    return true
  }

  topics(): Iterable<string> {
    return this.#holder.topics()
  }

  *heldQueues(): Iterable<MessageQueue> {
    yield* this.#holder.heldQueues()
  }

  isStale(queue: MessageQueue): boolean {
    return this.#holder.isStale(queue)
  }

  assign(queue: MessageQueue, options: { isShared: boolean }): Promise<boolean> {
    return this.#holder.assign(queue, options)
  }

  async revoke(queue: MessageQueue): Promise<void> {
    const key = messageQueueKey(queue)
    const consumed = this.#deps.options.autoCommit ? this.delivery.committable(key, 'consumed') : undefined
    if (consumed !== undefined) this.offsets.update(key, queue, consumed, false)
    await this.#holder.revoke(queue)
    this.delivery.forget(key)
  }

  onChanged(topic: string, all: readonly MessageQueue[], mine: readonly MessageQueue[]): void {
    const { options, userQueue } = this.#deps
    const userTopic = userQueue({ topic, brokerName: '', queueId: 0 }).topic
    options.onQueuesChanged?.(userTopic, all.map(userQueue), mine.map(userQueue))
  }

  #newPuller(): Puller {
    const { instance, logger, options, subscriptions, userQueue } = this.#deps
    const { shared } = options
    return new Puller(
      {
        clock: instance.clock,
        logger,
        client: new PullClient(instance, shared.wireGroup),
        queues: this.queues,
        // Progress without messages is not committed by itself, but with what is handed out before and after.
        offsets: {
          memory: () => undefined,
          update: (key, _queue, offset) => this.delivery.advance(key, offset),
        },
        subscriptions,
        stats: this.#stats,
        userTopic: topic => userQueue({ topic, brokerName: '', queueId: 0 }).topic,
        namespace: shared.client.namespace ?? '',
        pullBatchSize: shared.pullBatchSize,
        pullBatchBytes: shared.pullBatchBytes,
        pullIntervalMs: 0,
        retryDelayMs: shared.pullRetryDelayMs,
        sendsExpression: true,
        commitsOffsets: false,
        onMessages: processQueue => this.delivery.ready(processQueue),
        onOffsetIllegal: (processQueue, offset) => {
          processQueue.nextOffset = offset
        },
      },
      {
        messagesPerQueue: shared.messagesPerQueue,
        bytesPerQueue: shared.bytesPerQueue,
        span: shared.span,
        bytesTotal: shared.bytesTotal,
      },
    )
  }

  #newFacts(): ConsumerFacts {
    const { instance, logger, options, subscriptions, isSubscribed } = this.#deps
    const { shared } = options
    return new ConsumerFacts({
      clock: instance.clock,
      logger,
      group: shared.wireGroup,
      consumeType: 'CONSUME_ACTIVELY',
      messageModel: shared.messageModel,
      consumeFromWhere: 'CONSUME_FROM_LAST_OFFSET',
      unitMode: shared.client.unitMode,
      namespace: shared.client.namespace ?? '',
      // Queues that were chosen are no subscription of the group.
      subscriptions: isSubscribed ? subscriptions : subscriptions.emptyCopy(),
      queues: this.queues,
      offsets: this.offsets,
      stats: this.#stats,
      handler: undefined,
      orderly: false,
      properties: { consumerGroup: shared.wireGroup, messageModel: shared.messageModel },
      nameServers: () => instance.nameServers.addresses,
      rebalanceSoon: () => this.#rebalancer?.wake(),
      // Only push consumers follow such a request; the user of a pull consumer owns its offsets.
      resetOffsets: async () => {},
    })
  }
}
