import type { AllocateStrategy } from '@rocketmq-ts/model'
import { realDisk } from '@rocketmq-ts/runtime'
import type { ConsumeFromWhere, MessageModel } from '../consume/consumer-registration.ts'
import type { OffsetStore } from '../offset-store/offset-store.ts'
import { type ClientOptions, clientOptionNames, integerOption, refuseUnknownOptions } from '../options.ts'
import type { QueuesChangedListener } from '../pull-consumer/options.ts'
import { type PushConsumerPorts, type ResolvedPushOptions, resolvePushOptions } from '../push-consumer/options.ts'
import type { Subscriptions } from '../push-consumer/subscription-table.ts'
import type { AllocateStrategyName } from '../rebalance/strategy-option.ts'

/** Settings of a lite pull consumer. Where RocketMQ has the option, Java's name and default are used. */
export interface LitePullConsumerOptions extends ClientOptions {
  /** The consumer group. */
  group: string
  /**
   * What to consume: topic → expression. The topics' queues are divided among the group's members. Without it, queues are
   * chosen with `assign`.
   */
  subscriptions?: Subscriptions
  /** CLUSTERING (default): members share the messages. BROADCASTING: each member gets all of them. */
  messageModel?: MessageModel
  /** Where to begin a queue for which the group has no offset yet. Default `CONSUME_FROM_LAST_OFFSET`. */
  consumeFromWhere?: ConsumeFromWhere
  /** For `CONSUME_FROM_TIMESTAMP`, as that of a push consumer. */
  consumeTimestamp?: Date | number | string
  /** As that of a push consumer. */
  strictConsumeFromWhere?: boolean
  /** How queues are divided among the members, all of which must use the same. Default AVG. */
  allocateStrategy?: AllocateStrategy | AllocateStrategyName
  /** Whether what was handed out before is committed by itself when more is asked for. Default true. */
  autoCommit?: boolean
  /** Least time between two commits by itself. Default 5000, at least 1000. */
  autoCommitIntervalMs?: number
  /** How long `poll` waits for messages. Default 5000, 0 or more. */
  pollTimeoutMs?: number
  /** Messages per pull at most. Default 10, 1 to 1024. */
  pullBatchSize?: number
  /** No pull while a queue has more messages waiting to be polled. Default 1000. */
  pullThresholdForQueue?: number
  /** No pull while a queue keeps more bytes in memory. Default 104857600 (100 MiB). */
  pullThresholdBytesForQueue?: number
  /** No pull while all queues together keep more bytes in memory. Default 268435456 (256 MiB). */
  pullThresholdBytesForAll?: number
  /** No pull while oldest and newest waiting message of a queue are further apart. Default 2000. */
  consumeMaxSpan?: number
  /** Called when a division changed this member's queues. Must not throw. */
  onQueuesChanged?: QueuesChangedListener
  /** Time between rebalances when nothing happens. Default 20000, at least 100. */
  rebalanceIntervalMs?: number
  /** As that of a push consumer. */
  offsetStoreDirectory?: string
  /** Replaces the offset store. */
  offsetStore?: OffsetStore
}

/** {@link LitePullConsumerOptions} with every default applied. */
export interface ResolvedLitePullOptions {
  readonly shared: ResolvedPushOptions
  readonly autoCommit: boolean
  readonly autoCommitIntervalMs: number
  readonly pollTimeoutMs: number
  readonly onQueuesChanged: QueuesChangedListener | undefined
}

const ownOptionNames: readonly (keyof LitePullConsumerOptions)[] = [
  'group',
  'subscriptions',
  'messageModel',
  'consumeFromWhere',
  'consumeTimestamp',
  'strictConsumeFromWhere',
  'allocateStrategy',
  'autoCommit',
  'autoCommitIntervalMs',
  'pollTimeoutMs',
  'pullBatchSize',
  'pullThresholdForQueue',
  'pullThresholdBytesForQueue',
  'pullThresholdBytesForAll',
  'consumeMaxSpan',
  'onQueuesChanged',
  'rebalanceIntervalMs',
  'offsetStoreDirectory',
  'offsetStore',
]

/** Applies defaults and checks ranges. Throws `INVALID_ARGUMENT` naming the option. */
export function resolveLitePullOptions(
  options: LitePullConsumerOptions,
  ports: PushConsumerPorts = {},
): ResolvedLitePullOptions {
  refuseUnknownOptions(options, [...clientOptionNames, ...ownOptionNames])
  const { autoCommit, autoCommitIntervalMs, pollTimeoutMs, onQueuesChanged, consumeMaxSpan, pullBatchSize, ...rest } =
    options
  // Everything else means the same as for a push consumer, and is checked by the same rules.
  const shared = resolvePushOptions(
    {
      ...rest,
      pullBatchSize: integerOption('pullBatchSize', pullBatchSize, 10, 1, 1024),
      consumeConcurrentlyMaxSpan: integerOption('consumeMaxSpan', consumeMaxSpan, 2000, 1, 65_535),
    },
    { disk: realDisk, ...ports },
  )
  return {
    shared,
    autoCommit: autoCommit ?? true,
    autoCommitIntervalMs: integerOption('autoCommitIntervalMs', autoCommitIntervalMs, 5000, 1000),
    pollTimeoutMs: integerOption('pollTimeoutMs', pollTimeoutMs, 5000, 0),
    onQueuesChanged,
  }
}
