import { type AllocateStrategy, assertGroup, withNamespace } from '@rocketmq-ts/model'
import { type Disk, RocketMqError, realDisk } from '@rocketmq-ts/runtime'
import type { ConsumeFromWhere, MessageModel } from '../consume/consumer-registration.ts'
import type { OffsetStore } from '../offset-store/offset-store.ts'
import {
  type ClientOptions,
  type ClientPorts,
  clientOptionNames,
  integerOption,
  type ResolvedClientOptions,
  refuseUnknownOptions,
  resolveClientOptions,
} from '../options.ts'
import { type AllocateStrategyName, strategyOf } from '../rebalance/strategy-option.ts'
import type { ConsumeHook } from './consume-hooks.ts'
import type { MessageHandler } from './consume-service.ts'
import { parseConsumeTimestamp } from './start-offset.ts'
import { type Subscriptions, subscriptionsOf } from './subscription-table.ts'

const MIB = 1024 * 1024

/** Groups that no consumer may use. */
const refusedGroups = new Set(['DEFAULT_CONSUMER'])

/** Settings of a push consumer. Where RocketMQ has the option, Java's name and default are used. */
export interface PushConsumerOptions extends ClientOptions {
  /** The consumer group. All its members must subscribe to the same topics with the same expressions. */
  group: string
  /** What to consume: topic → expression (`*`, or tags as `a || b`). More may be added with `subscribe`. */
  subscriptions?: Subscriptions
  /** Handles messages: the consumer then starts at once. Without it, `start` or `messages` begin consumption. */
  handler?: MessageHandler
  /**
   * Keep the order of each queue: a batch is handled when the one before it succeeded, by one member of the group at a time.
   * A failed one pauses its queue and comes again. Needs a handler. All members of the group must use the same. Default false.
   */
  orderly?: boolean
  /** Orderly: pause of a queue whose messages failed, ms. Default 1000, 10 to 30000. */
  suspendCurrentQueueTimeMs?: number
  /** CLUSTERING (default): members share the messages. BROADCASTING: each member gets all of them. */
  messageModel?: MessageModel
  /**
   * Where to begin a queue for which the group has no offset yet. Default `CONSUME_FROM_LAST_OFFSET`. A broker answers 0 for
   * a queue whose first message is still in memory, so that a new group reads a young topic from its beginning whatever
   * stands here; see `strictConsumeFromWhere`.
   */
  consumeFromWhere?: ConsumeFromWhere
  /** For `CONSUME_FROM_TIMESTAMP`: a time, milliseconds since 1970, or `yyyyMMddHHmmss` local time. Default half an hour ago. */
  consumeTimestamp?: Date | number | string
  /** Makes `consumeFromWhere` hold on young topics too (brokers since 5.0). Default false, as Java. */
  strictConsumeFromWhere?: boolean
  /** How queues are divided among the members, all of which must use the same: a name, or a strategy. Default AVG. */
  allocateStrategy?: AllocateStrategy | AllocateStrategyName
  /** Calls of the handler at work at once. Default 20, 1 to 1000. */
  concurrency?: number
  /** Messages per call of the handler at most. Default 1, 1 to 1024. Above 1, one failure retries the whole batch. */
  consumeMessageBatchMaxSize?: number
  /** Messages per pull at most; brokers give at most 32 by default. Default 32, 1 to 1024. */
  pullBatchSize?: number
  /** Bytes per pull at most, a wish. Default 262144. */
  pullBatchSizeInBytes?: number
  /** Rest between two pulls of a queue, ms. Default 0, to 65535. */
  pullIntervalMs?: number
  /** No pull while a queue has more unfinished messages. Default 1000, 1 to 65535. */
  pullThresholdForQueue?: number
  /** No pull while a queue keeps more bytes in memory. Default 104857600 (100 MiB). */
  pullThresholdBytesForQueue?: number
  /** Replaces `pullThresholdForQueue` by its share per queue held; -1 (default) doesn't. */
  pullThresholdForTopic?: number
  /** Replaces `pullThresholdBytesForQueue` by its share per queue held; -1 (default) doesn't. */
  pullThresholdBytesForTopic?: number
  /** No pull while all queues together keep more bytes in memory. Default 268435456 (256 MiB); Java has no such limit. */
  pullThresholdBytesForAll?: number
  /** No pull while oldest and newest unfinished message of a queue are further apart. Default 2000, 1 to 65535. */
  consumeConcurrentlyMaxSpan?: number
  /** Send the expression with each pull instead of relying on heartbeats. Default false. */
  postSubscriptionWhenPull?: boolean
  /** Retries before a message goes to the dead letters. Default -1: 16, or without end if orderly. */
  maxReconsumeTimes?: number
  /** A message that is with its handler for longer is sent back for retry, unless orderly. Default 900000 (15 minutes), at least 1000. */
  consumeTimeoutMs?: number
  /** How long `close` waits for handlers. Default 15000; 0 doesn't wait. */
  awaitTerminationMs?: number
  /** How often offsets are stored. Default 5000, at least 100. */
  persistConsumerOffsetIntervalMs?: number
  /** Time between rebalances when nothing happens. Default 20000, at least 100. */
  rebalanceIntervalMs?: number
  /** Rest after a failed pull. Default 1000, at least 10. */
  pullTimeDelayMsWhenException?: number
  /** Where broadcasting consumers keep offsets: `<directory>/<clientId>/<group>/offsets.json`. Default `~/.rocketmq_offsets`. */
  offsetStoreDirectory?: string
  /** Replaces the offset store. */
  offsetStore?: OffsetStore
  /** Called around each call of the handler. */
  hooks?: readonly ConsumeHook[]
}

/** {@link PushConsumerOptions} with every default applied. */
export interface ResolvedPushOptions {
  readonly client: ResolvedClientOptions
  /** As given; on the wire it carries the namespace. */
  readonly group: string
  readonly wireGroup: string
  readonly subscriptions: Subscriptions
  readonly handler: MessageHandler | undefined
  readonly orderly: boolean
  readonly suspendMs: number
  readonly messageModel: MessageModel
  readonly consumeFromWhere: ConsumeFromWhere
  readonly timestampMs: number
  readonly strictConsumeFromWhere: boolean
  readonly allocateStrategy: AllocateStrategy
  readonly concurrency: number
  readonly handlerBatchMax: number
  readonly pullBatchSize: number
  readonly pullBatchBytes: number
  readonly pullIntervalMs: number
  readonly messagesPerQueue: number
  readonly bytesPerQueue: number
  readonly messagesPerTopic: number
  readonly bytesPerTopic: number
  readonly bytesTotal: number
  readonly span: number
  readonly sendsExpression: boolean
  readonly maxReconsumeTimes: number
  readonly consumeTimeoutMs: number
  readonly awaitTerminationMs: number
  readonly persistIntervalMs: number
  readonly rebalanceIntervalMs: number
  readonly pullRetryDelayMs: number
  readonly offsetStoreDirectory: string | undefined
  readonly offsetStore: OffsetStore | undefined
  readonly hooks: readonly ConsumeHook[]
  readonly disk: Disk
}

const ownOptionNames: readonly (keyof PushConsumerOptions)[] = [
  'group',
  'subscriptions',
  'handler',
  'orderly',
  'suspendCurrentQueueTimeMs',
  'messageModel',
  'consumeFromWhere',
  'consumeTimestamp',
  'strictConsumeFromWhere',
  'allocateStrategy',
  'concurrency',
  'consumeMessageBatchMaxSize',
  'pullBatchSize',
  'pullBatchSizeInBytes',
  'pullIntervalMs',
  'pullThresholdForQueue',
  'pullThresholdBytesForQueue',
  'pullThresholdForTopic',
  'pullThresholdBytesForTopic',
  'pullThresholdBytesForAll',
  'consumeConcurrentlyMaxSpan',
  'postSubscriptionWhenPull',
  'maxReconsumeTimes',
  'consumeTimeoutMs',
  'awaitTerminationMs',
  'persistConsumerOffsetIntervalMs',
  'rebalanceIntervalMs',
  'pullTimeDelayMsWhenException',
  'offsetStoreDirectory',
  'offsetStore',
  'hooks',
]

const messageModels: readonly MessageModel[] = ['CLUSTERING', 'BROADCASTING']
const fromWheres: readonly ConsumeFromWhere[] = [
  'CONSUME_FROM_LAST_OFFSET',
  'CONSUME_FROM_FIRST_OFFSET',
  'CONSUME_FROM_TIMESTAMP',
]

/** Ports of a push consumer; tests replace them. */
export type PushConsumerPorts = Partial<ClientPorts> & { disk?: Disk }

/** Applies defaults and checks ranges. Throws `INVALID_ARGUMENT` naming the option. */
export function resolvePushOptions(options: PushConsumerOptions, ports: PushConsumerPorts = {}): ResolvedPushOptions {
  refuseUnknownOptions(options, [...clientOptionNames, ...ownOptionNames])
  const group = checkedGroup(options.group)
  const messageModel = messageModelOf(options.messageModel)
  const { disk = realDisk, ...clientPorts } = ports
  const client = resolveClientOptions(withStableName(options, messageModel), clientPorts)
  const number = integerOption
  return {
    client,
    group,
    wireGroup: withNamespace(client.namespace, group),
    subscriptions: subscriptionsOf(options.subscriptions),
    handler: options.handler,
    orderly: options.orderly ?? false,
    suspendMs: number('suspendCurrentQueueTimeMs', options.suspendCurrentQueueTimeMs, 1000, 10, 30_000),
    messageModel,
    consumeFromWhere: oneOf('consumeFromWhere', options.consumeFromWhere, fromWheres),
    timestampMs: timestampOf(options.consumeTimestamp, client.ports.clock.now()),
    strictConsumeFromWhere: options.strictConsumeFromWhere ?? false,
    allocateStrategy: strategyOf(options.allocateStrategy),
    concurrency: number('concurrency', options.concurrency, 20, 1, 1000),
    handlerBatchMax: number('consumeMessageBatchMaxSize', options.consumeMessageBatchMaxSize, 1, 1, 1024),
    pullBatchSize: number('pullBatchSize', options.pullBatchSize, 32, 1, 1024),
    pullBatchBytes: number('pullBatchSizeInBytes', options.pullBatchSizeInBytes, 262_144, 1),
    pullIntervalMs: number('pullIntervalMs', options.pullIntervalMs, 0, 0, 65_535),
    messagesPerQueue: number('pullThresholdForQueue', options.pullThresholdForQueue, 1000, 1, 65_535),
    bytesPerQueue: number('pullThresholdBytesForQueue', options.pullThresholdBytesForQueue, 100 * MIB, 1, 1024 * MIB),
    messagesPerTopic: threshold('pullThresholdForTopic', options.pullThresholdForTopic, 6_553_500),
    bytesPerTopic: threshold('pullThresholdBytesForTopic', options.pullThresholdBytesForTopic, 102_400 * MIB),
    bytesTotal: number('pullThresholdBytesForAll', options.pullThresholdBytesForAll, 256 * MIB, 1, 102_400 * MIB),
    span: number('consumeConcurrentlyMaxSpan', options.consumeConcurrentlyMaxSpan, 2000, 1, 65_535),
    sendsExpression: options.postSubscriptionWhenPull ?? false,
    maxReconsumeTimes: number('maxReconsumeTimes', options.maxReconsumeTimes, -1, -1),
    consumeTimeoutMs: number('consumeTimeoutMs', options.consumeTimeoutMs, 15 * 60_000, 1000),
    awaitTerminationMs: number('awaitTerminationMs', options.awaitTerminationMs, 15_000, 0),
    persistIntervalMs: number('persistConsumerOffsetIntervalMs', options.persistConsumerOffsetIntervalMs, 5000, 100),
    rebalanceIntervalMs: number('rebalanceIntervalMs', options.rebalanceIntervalMs, 20_000, 100),
    pullRetryDelayMs: number('pullTimeDelayMsWhenException', options.pullTimeDelayMsWhenException, 1000, 10),
    offsetStoreDirectory: options.offsetStoreDirectory,
    offsetStore: options.offsetStore,
    hooks: [...(options.hooks ?? [])],
    disk,
  }
}

/** The group, checked. Throws `INVALID_ARGUMENT`. */
export function checkedGroup(group: string): string {
  if (typeof group !== 'string') throw new RocketMqError('INVALID_ARGUMENT', 'option "group" is missing')
  assertGroup(group)
  if (refusedGroups.has(group)) {
    throw new RocketMqError('INVALID_ARGUMENT', `group "${group}" is reserved; choose a name of your own`)
  }
  return group
}

/** The message model, CLUSTERING by default. Throws `INVALID_ARGUMENT`. */
export function messageModelOf(value: MessageModel | undefined): MessageModel {
  return oneOf('messageModel', value, messageModels)
}

/**
 * The options with the instance name `DEFAULT` for a broadcasting consumer that gives none: it finds its offset file by its
 * client id, which must be the same after a restart. Source: DefaultMQPushConsumerImpl#start, 5.3.x
 */
export function withStableName(options: ClientOptions, messageModel: MessageModel): ClientOptions {
  if (messageModel !== 'BROADCASTING' || options.instanceName !== undefined) return options
  return { ...options, instanceName: 'DEFAULT' }
}

function threshold(name: string, value: number | undefined, max: number): number {
  if (value === undefined || value === -1) return -1
  return integerOption(name, value, -1, 1, max)
}

function oneOf<T extends string>(name: string, value: T | undefined, allowed: readonly T[]): T {
  if (value === undefined) return allowed[0]!
  if (allowed.includes(value)) return value
  throw new RocketMqError('INVALID_ARGUMENT', `${name} must be ${allowed.join(' or ')}, not ${JSON.stringify(value)}`)
}

function timestampOf(value: Date | number | string | undefined, nowMs: number): number {
  if (value === undefined) return nowMs - 30 * 60_000
  const time = typeof value === 'string' ? parseConsumeTimestamp(value) : Number(value)
  if (time !== undefined && Number.isSafeInteger(time) && time >= 0) return time
  throw new RocketMqError(
    'INVALID_ARGUMENT',
    `consumeTimestamp must be a time, milliseconds or yyyyMMddHHmmss, not ${JSON.stringify(value)}`,
  )
}
