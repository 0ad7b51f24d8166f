import type { MessageQueue, SubscriptionData } from '@rocketmq-ts/model'
import type { Clock, Logger } from '@rocketmq-ts/runtime'
import type {
  ConsumeDirectlyResult,
  ConsumeFromWhere,
  ConsumerRegistration,
  ConsumeType,
  MessageModel,
  ProcessQueueInfo,
  QueueOffset,
  RunningInfo,
} from '../consume/consumer-registration.ts'
import { messagesOfRecords } from '../consume/records.ts'
import type { OffsetStore } from '../offset-store/offset-store.ts'
import type { ProcessQueue } from '../process-queue/process-queue.ts'
import type { QueueTable } from '../process-queue/queue-table.ts'
import type { ConsumeStatus } from './consume-hooks.ts'
import { ConsumeContext, type MessageHandler } from './consume-service.ts'
import type { ConsumeStats } from './consume-stats.ts'
import type { SubscriptionTable } from './subscription-table.ts'

const MIB = 1024 * 1024

export interface ConsumerFactsOptions {
  clock: Clock
  logger: Logger
  group: string
  /** Default `CONSUME_PASSIVELY`. */
  consumeType?: ConsumeType
  messageModel: MessageModel
  consumeFromWhere: ConsumeFromWhere
  unitMode: boolean
  namespace: string
  subscriptions: SubscriptionTable
  queues: QueueTable
  offsets: OffsetStore
  stats: ConsumeStats
  handler: MessageHandler | undefined
  orderly: boolean
  /** Facts for tools that don't change: see `properties` of running info. */
  properties: Record<string, string>
  nameServers(): readonly string[]
  rebalanceSoon(): void
  /** Moves the offsets; resolves when the queues may be taken anew. */
  resetOffsets(topic: string, offsets: readonly QueueOffset[]): Promise<void>
}

/** Source: CMResult; ConsumeMessageOrderlyService#consumeMessageDirectly, 5.3.x */
const directResults: Record<ConsumeStatus, ConsumeDirectlyResult['consumeResult']> = {
  CONSUME_SUCCESS: 'CR_SUCCESS',
  RECONSUME_LATER: 'CR_LATER',
  SUSPEND_CURRENT_QUEUE_A_MOMENT: 'CR_LATER',
  COMMIT: 'CR_COMMIT',
  ROLLBACK: 'CR_ROLLBACK',
}

/** What brokers and tools may ask of a push consumer, and what its heartbeats say. */
export class ConsumerFacts implements ConsumerRegistration {
  readonly #options: ConsumerFactsOptions
  readonly #startedAtMs: number

  constructor(options: ConsumerFactsOptions) {
    this.#options = options
    this.#startedAtMs = options.clock.now()
  }

  get consumeType(): ConsumeType {
    return this.#options.consumeType ?? 'CONSUME_PASSIVELY'
  }

  get group(): string {
    return this.#options.group
  }

  get messageModel(): MessageModel {
    return this.#options.messageModel
  }

  get consumeFromWhere(): ConsumeFromWhere {
    return this.#options.consumeFromWhere
  }

  get unitMode(): boolean {
    return this.#options.unitMode
  }

  subscriptions(): SubscriptionData[] {
    return this.#options.subscriptions.all()
  }

  onConsumerIdsChanged(): void {
    this.#options.rebalanceSoon()
  }

  resetOffsets(topic: string, offsets: readonly QueueOffset[]): void {
    this.#options.resetOffsets(topic, offsets).catch(error => {
      this.#options.logger.error({ topic, err: error }, 'offsets not reset')
    })
  }

  consumedOffsets(topic: string): QueueOffset[] {
    const result: QueueOffset[] = []
    for (const { queue, key } of this.#options.queues.values()) {
      const offset = queue.topic === topic ? this.#options.offsets.memory(key) : undefined
      if (offset !== undefined) result.push([queue, offset])
    }
    return result
  }

  /** Source: DefaultMQPushConsumerImpl#consumerRunningInfo, 5.3.x */
  runningInfo({ withStacks }: { withStacks: boolean }): RunningInfo {
    const { queues, subscriptions, stats, properties, nameServers } = this.#options
    const mqTable: [MessageQueue, ProcessQueueInfo][] = []
    for (const processQueue of queues.values()) mqTable.push([processQueue.queue, this.#queueInfo(processQueue)])
    const statusTable: RunningInfo['statusTable'] = {}
    for (const topic of subscriptions.topics()) statusTable[topic] = stats.status(topic)
    const info: RunningInfo = {
      properties: {
        ...properties,
        PROP_NAMESERVER_ADDR: nameServers()
          .map(address => `${address};`)
          .join(''),
        PROP_CONSUME_TYPE: this.consumeType,
        PROP_CONSUMER_START_TIMESTAMP: String(this.#startedAtMs),
      },
      subscriptionSet: subscriptions.all(),
      mqTable,
      statusTable,
    }
    if (withStacks) info.jstack = 'This client runs on Node.js: one thread, no stacks to show.\n'
    return info
  }

  #queueInfo(processQueue: ProcessQueue): ProcessQueueInfo {
    const { firstOffset, messageCount } = processQueue
    return {
      commitOffset: this.#options.offsets.memory(processQueue.key) ?? -1,
      cachedMsgMinOffset: firstOffset ?? 0,
      cachedMsgMaxOffset: messageCount === 0 ? 0 : processQueue.newestOffset,
      cachedMsgCount: messageCount,
      cachedMsgSizeInMiB: Math.floor(processQueue.retainedBytes / MIB),
      transactionMsgMinOffset: 0,
      transactionMsgMaxOffset: 0,
      transactionMsgCount: 0,
      locked: processQueue.locked,
      tryUnlockTimes: processQueue.tryUnlockTimes,
      lastLockTimestamp: processQueue.lastLockAtMs,
      droped: processQueue.dropped,
      lastPullTimestamp: processQueue.lastPullAtMs,
      lastConsumeTimestamp: this.#wallTimeOf(processQueue.lastConsumeMs),
    }
  }

  #wallTimeOf(monotonicMs: number | undefined): number {
    const { clock } = this.#options
    return monotonicMs === undefined ? this.#startedAtMs : Math.round(clock.now() - (clock.monotonic() - monotonicMs))
  }

  /** Source: ConsumeMessageConcurrentlyService#consumeMessageDirectly, 5.3.x */
  async consumeDirectly(record: Buffer, brokerName: string): Promise<ConsumeDirectlyResult | undefined> {
    const { clock, handler, namespace, orderly } = this.#options
    if (handler === undefined) return undefined
    const startedMs = clock.monotonic()
    const result: ConsumeDirectlyResult = {
      order: orderly,
      autoCommit: true,
      consumeResult: 'CR_SUCCESS',
      spentTimeMills: 0,
    }
    try {
      const messages = messagesOfRecords(record, brokerName, namespace)
      if (messages.length === 0) throw new Error('the request carries no message')
      const context = new ConsumeContext(messages[0]!.batch.from.queue)
      const outcome = await handler(messages, context)
      result.autoCommit = context.autoCommit
      result.consumeResult = directResults[outcome ?? 'CONSUME_SUCCESS'] ?? 'CR_SUCCESS'
    } catch (error) {
      result.consumeResult = 'CR_THROW_EXCEPTION'
      result.remark = error instanceof Error ? (error.stack ?? error.message) : String(error)
    }
    result.spentTimeMills = Math.round(clock.monotonic() - startedMs)
    return result
  }
}
