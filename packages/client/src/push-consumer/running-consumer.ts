import { type MessageQueue, withoutNamespace } from '@rocketmq-ts/model'
import { checkClientConfig, ResponseCode } from '@rocketmq-ts/protocol'
import { type Logger, RocketMqError, type Timer } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'
import { assertNameServers } from '../consume/assert-name-servers.ts'
import { PullClient } from '../consume/pull-client.ts'
import { queueMaxOffset, queueOffsetByTime } from '../consume/queue-offsets.ts'
import { SendBack } from '../consume/send-back.ts'
import { newOffsetStore } from '../offset-store/new-offset-store.ts'
import type { OffsetStore } from '../offset-store/offset-store.ts'
import { type FlowLimits, limitsForQueueCount } from '../process-queue/flow-control.ts'
import type { ProcessQueue } from '../process-queue/process-queue.ts'
import { QueueTable } from '../process-queue/queue-table.ts'
import { Rebalancer } from '../rebalance/rebalancer.ts'
import { ConcurrentConsumeService } from './concurrent-consume-service.ts'
import type { ConsumeService, MessageHandler, OrderedService } from './consume-service.ts'
import { ConsumeStats } from './consume-stats.ts'
import { ConsumerFacts } from './consumer-facts.ts'
import { IteratorConsumeService } from './iterator-consume-service.ts'
import { MessageSettler } from './message-settler.ts'
import type { ResolvedPushOptions } from './options.ts'
import { OrderedQueueHolder } from './ordered-queue-holder.ts'
import { OrderlyConsumeService } from './orderly-consume-service.ts'
import { Puller } from './puller.ts'
import { QueueHolder } from './queue-holder.ts'
import { QueueLocker } from './queue-locker.ts'
import { resetQueues } from './reset-queues.ts'
import { runningProperties } from './running-properties.ts'
import type { SubscriptionTable } from './subscription-table.ts'

const sendBackTimeoutMs = 5000
/** Source: RebalancePushImpl, RebalanceService#minInterval, 5.3.x; there 500 ms without end. */
const lockRetryMaxMs = 1000
/** How often the consume time-out is looked after: a fifteenth of it, within these bounds. */
const expireEveryMs = { min: 1000, max: 60_000 }

export interface RunningConsumerOptions {
  options: ResolvedPushOptions
  instance: ClientInstance
  subscriptions: SubscriptionTable
  /** Undefined: messages are taken through the iterator. */
  handler: MessageHandler | undefined
}

/** The parts of a started push consumer, tied together: wiring and the order of start and close, nothing else. */
export class RunningConsumer {
  readonly puller: Puller
  readonly rebalancer: Rebalancer
  readonly sendBack: SendBack
  readonly offsets: OffsetStore
  readonly queues = new QueueTable()
  /** Undefined when there is a handler. */
  readonly iterator: IteratorConsumeService | undefined
  readonly #options: ResolvedPushOptions
  readonly #instance: ClientInstance
  readonly #subscriptions: SubscriptionTable
  readonly #logger: Logger
  readonly #stats: ConsumeStats
  readonly #service: ConsumeService
  /** The service of an orderly consumer. */
  readonly #ordered: OrderedService | undefined
  readonly #holder: QueueHolder | OrderedQueueHolder
  /** Of an orderly consumer in clustering. */
  readonly #locker: QueueLocker | undefined
  readonly #facts: ConsumerFacts
  readonly #baseLimits: FlowLimits
  #timers: Timer[] = []
  #isRegistered = false

  constructor({ options, instance, subscriptions, handler }: RunningConsumerOptions) {
    this.#options = options
    this.#instance = instance
    this.#subscriptions = subscriptions
    this.#logger = instance.logger.child({ group: options.group })
    this.#stats = new ConsumeStats(instance.clock)
    this.offsets = newOffsetStore(instance, options, this.#logger)
    this.#baseLimits = {
      messagesPerQueue: options.messagesPerQueue,
      bytesPerQueue: options.bytesPerQueue,
      // Order keeps the messages of a queue together by itself.
      span: options.orderly ? Number.POSITIVE_INFINITY : options.span,
      bytesTotal: options.bytesTotal,
    }
    this.sendBack = new SendBack({
      instance,
      group: options.wireGroup,
      maxReconsumeTimes: options.maxReconsumeTimes,
      unitMode: options.client.unitMode,
      timeoutMs: sendBackTimeoutMs,
    })
    const settler = this.#newSettler()
    this.iterator = handler === undefined ? this.#newIterator(settler) : undefined
    const ordered = handler !== undefined && options.orderly ? this.#newOrderlyService(settler, handler) : undefined
    this.#ordered = ordered
    if (ordered !== undefined) this.#service = ordered
    else this.#service = handler === undefined ? this.iterator! : this.#newConcurrentService(settler, handler)
    this.puller = this.#newPuller()
    this.#locker = ordered !== undefined && options.messageModel === 'CLUSTERING' ? this.#newLocker() : undefined
    this.#holder = ordered === undefined ? this.#newHolder() : this.#newOrderedHolder(ordered)
    this.rebalancer = new Rebalancer({
      instance,
      group: options.wireGroup,
      messageModel: options.messageModel,
      strategy: options.allocateStrategy,
      target: this.#holder,
      logger: this.#logger,
      intervalMs: options.rebalanceIntervalMs,
      // Somebody's handler may be all that keeps a queue from being locked.
      ...(ordered === undefined ? {} : { unbalancedMaxMs: lockRetryMaxMs }),
    })
    this.#facts = this.#newFacts(handler)
  }

  /**
   * Registers, finds routes, sends heartbeats, and resolves after the first rebalance: queues are held and pulls on their
   * way, where the routes are known. A topic without route is no failure; it is asked for again.
   */
  async start(): Promise<void> {
    await this.offsets.load()
    this.#instance.registerConsumer(this.#options.wireGroup, this.#facts)
    this.#isRegistered = true
    await this.#instance.start()
    assertNameServers(this.#instance)
    await Promise.all([...this.#subscriptions.topics()].map(topic => this.#instance.routes.refresh(topic)))
    await this.#checkExpressions()
    await this.#instance.sendHeartbeats()
    this.#startTimers()
    await this.rebalancer.start()
  }

  /** Tells brokers of changed subscriptions and takes or gives up queues accordingly. */
  async subscriptionsChanged(): Promise<void> {
    await Promise.all([...this.#subscriptions.topics()].map(topic => this.#refreshUnknown(topic)))
    await this.#instance.sendHeartbeats()
    this.rebalancer.wake()
  }

  /**
   * Stops pulling, waits for the user's work, stores offsets, says goodbye. Never rejects. The order matters: a group
   * member that takes over must find offsets that are final.
   */
  async close(awaitTerminationMs: number): Promise<void> {
    this.#holder.stop()
    this.puller.stop()
    for (const timer of this.#timers) timer.cancel()
    this.#timers = []
    this.#stats.stop()
    await this.rebalancer.stop()
    // While handlers finish their locks are still renewed.
    await this.#service.stop(awaitTerminationMs)
    await this.#locker?.stop()
    if (this.#isRegistered) {
      const held = this.#ownedQueues()
      await this.offsets.persistAll(held, { confirmed: true })
      await this.#locker?.unlock(held)
      for (const processQueue of [...this.queues.values()]) this.queues.remove(processQueue)
      await this.#instance.unregisterConsumer(this.#options.wireGroup)
    }
  }

  #userTopic(wireTopic: string): string {
    const { namespace } = this.#options.client
    return namespace === undefined ? wireTopic : withoutNamespace(wireTopic, namespace)
  }

  #newSettler(): MessageSettler {
    return new MessageSettler({
      clock: this.#instance.clock,
      logger: this.#logger,
      group: this.#options.wireGroup,
      messageModel: this.#options.messageModel,
      sendBack: this.sendBack,
      offsets: this.offsets,
      onFinished: (processQueue: ProcessQueue) => this.puller.resumeBlocked(processQueue),
    })
  }

  #newIterator(settler: MessageSettler): IteratorConsumeService {
    const { consumeTimeoutMs } = this.#options
    const { clock } = this.#instance
    return new IteratorConsumeService({ clock, logger: this.#logger, consumeTimeoutMs, settler, stats: this.#stats })
  }

  #newConcurrentService(settler: MessageSettler, handler: MessageHandler): ConcurrentConsumeService {
    const { wireGroup, concurrency, handlerBatchMax, consumeTimeoutMs, hooks } = this.#options
    return new ConcurrentConsumeService({
      clock: this.#instance.clock,
      logger: this.#logger,
      group: wireGroup,
      handler,
      concurrency,
      handlerBatchMax,
      consumeTimeoutMs,
      hooks,
      settler,
      stats: this.#stats,
    })
  }

  #newOrderlyService(settler: MessageSettler, handler: MessageHandler): OrderlyConsumeService {
    const { wireGroup, concurrency, handlerBatchMax, consumeTimeoutMs, suspendMs, maxReconsumeTimes, hooks } =
      this.#options
    return new OrderlyConsumeService({
      clock: this.#instance.clock,
      logger: this.#logger,
      group: wireGroup,
      handler,
      concurrency,
      handlerBatchMax,
      consumeTimeoutMs,
      suspendMs,
      maxReconsumeTimes,
      hooks,
      settler,
      sendBack: this.sendBack,
      stats: this.#stats,
      onExpired: () => this.#locker?.wake(),
      onFreed: () => this.rebalancer.wake(),
    })
  }

  #newLocker(): QueueLocker {
    return new QueueLocker({
      instance: this.#instance,
      logger: this.#logger,
      group: this.#options.wireGroup,
      queues: this.queues,
      onRegained: processQueue => this.#service.ready(processQueue),
      onLost: processQueue => (this.#holder as OrderedQueueHolder).abandon(processQueue),
    })
  }

  #newOrderedHolder(service: OrderlyConsumeService): OrderedQueueHolder {
    return new OrderedQueueHolder({
      clock: this.#instance.clock,
      queues: this.queues,
      holder: this.#newHolder(),
      service,
      locker: this.#locker,
      rebalanceSoon: () => this.rebalancer.wake(),
    })
  }

  #newPuller(): Puller {
    const options = this.#options
    const puller: Puller = new Puller(
      {
        clock: this.#instance.clock,
        logger: this.#logger,
        client: new PullClient(this.#instance, options.wireGroup),
        queues: this.queues,
        offsets: this.offsets,
        subscriptions: this.#subscriptions,
        stats: this.#stats,
        userTopic: topic => this.#userTopic(topic),
        namespace: options.client.namespace ?? '',
        pullBatchSize: options.pullBatchSize,
        pullBatchBytes: options.pullBatchBytes,
        pullIntervalMs: options.pullIntervalMs,
        retryDelayMs: options.pullRetryDelayMs,
        sendsExpression: options.sendsExpression,
        commitsOffsets: options.messageModel === 'CLUSTERING',
        onMessages: processQueue => this.#service.ready(processQueue),
        onOffsetIllegal: (processQueue, offset) => this.#restartAt(processQueue, offset),
      },
      this.#baseLimits,
    )
    return puller
  }

  /** Gives a queue up with the offset that its broker demands; the next rebalance takes it again from there. */
  #restartAt(processQueue: ProcessQueue, offset: number): void {
    processQueue.dropped = true
    this.offsets.updateAndFreeze(processQueue.key, processQueue.queue, offset)
    void this.#holder.release(processQueue).then(() => this.rebalancer.wake())
  }

  #newHolder(): QueueHolder {
    const { messageModel, consumeFromWhere, timestampMs, pullRetryDelayMs, messagesPerTopic, bytesPerTopic } =
      this.#options
    const instance = this.#instance
    return new QueueHolder({
      clock: instance.clock,
      logger: this.#logger,
      messageModel,
      queues: this.queues,
      offsets: this.offsets,
      puller: this.puller,
      rule: { consumeFromWhere, timestampMs },
      questions: (queue: MessageQueue) => ({
        maxOffset: () => queueMaxOffset(instance, queue),
        offsetByTime: time => queueOffsetByTime(instance, queue, time),
      }),
      topics: () => this.#subscriptions.topics(),
      retryDelayMs: pullRetryDelayMs,
      onChanged: () => {
        const thresholds = { messagesPerTopic, bytesPerTopic }
        this.puller.limits = limitsForQueueCount(this.#baseLimits, thresholds, this.queues.size)
      },
    })
  }

  #newFacts(handler: MessageHandler | undefined): ConsumerFacts {
    const options = this.#options
    const { clock, nameServers } = this.#instance
    const { queues, offsets, puller, rebalancer } = this
    const onGivenUp = (processQueue: ProcessQueue) => this.#ordered?.forget(processQueue)
    return new ConsumerFacts({
      clock,
      logger: this.#logger,
      group: options.wireGroup,
      messageModel: options.messageModel,
      consumeFromWhere: options.consumeFromWhere,
      unitMode: options.client.unitMode,
      namespace: options.client.namespace ?? '',
      subscriptions: this.#subscriptions,
      queues,
      offsets,
      stats: this.#stats,
      handler,
      orderly: options.orderly,
      properties: runningProperties(options),
      nameServers: () => nameServers.addresses,
      rebalanceSoon: () => rebalancer.wake(),
      resetOffsets: (topic, resets) => resetQueues({ queues, offsets, puller, rebalancer, onGivenUp }, topic, resets),
    })
  }

  #startTimers(): void {
    const { clock } = this.#instance
    const { persistIntervalMs, consumeTimeoutMs } = this.#options
    const expireMs = Math.min(expireEveryMs.max, Math.max(expireEveryMs.min, Math.floor(consumeTimeoutMs / 15)))
    this.#stats.start()
    this.#locker?.start()
    this.#timers.push(
      clock.setInterval(() => void this.#persist(), persistIntervalMs),
      clock.setInterval(() => void this.#service.expire(), expireMs),
    )
  }

  #persist(): Promise<void> {
    return this.offsets.persistAll(this.#ownedQueues())
  }

  /** Queues for which this member may speak: not those whose lock has expired. */
  #ownedQueues(): MessageQueue[] {
    const now = this.#instance.clock.monotonic()
    return [...this.queues.values()].filter(queue => queue.isOwned(now)).map(({ queue }) => queue)
  }

  async #refreshUnknown(topic: string): Promise<void> {
    const { routes } = this.#instance
    if (routes.cachedSubscribeQueues(topic) === undefined) await routes.refresh(topic)
  }

  /** Lets one broker per topic check what isn't tags. Rejects with `INVALID_ARGUMENT` carrying the broker's words. */
  async #checkExpressions(): Promise<void> {
    for (const subscription of this.#subscriptions.all()) {
      if (subscription.expressionType === 'TAG') continue
      const broker = this.#instance.routes.anyBrokerOf(subscription.topic)
      if (broker === undefined) continue
      const check = {
        clientId: this.#instance.clientId,
        group: this.#options.wireGroup,
        subscriptionData: subscription,
      }
      const body = Buffer.from(JSON.stringify(check))
      const { requestTimeoutMs: timeoutMs } = this.#instance.options
      try {
        await this.#instance.rpc.call(checkClientConfig, broker.address, {}, { body, timeoutMs })
      } catch (error) {
        const code = RocketMqError.is(error) ? error.details.responseCode : undefined
        if (code !== ResponseCode.SUBSCRIPTION_PARSE_FAILED && code !== ResponseCode.SYSTEM_ERROR) throw error
        const words = (error as RocketMqError).details.remark
        throw new RocketMqError('INVALID_ARGUMENT', `the broker refuses "${subscription.subString}": ${words}`, {
          cause: error,
          details: { topic: subscription.topic, responseCode: code },
        })
      }
    }
  }
}
