import { type AllocateStrategy, type MessageQueue, withNamespace } from '@rocketmq-ts/model'
import { type Disk, RocketMqError, realDisk } from '@rocketmq-ts/runtime'
import type { MessageModel } from '../consume/consumer-registration.ts'
import type { OffsetStore } from '../offset-store/offset-store.ts'
import {
  type ClientOptions,
  clientOptionNames,
  integerOption,
  type ResolvedClientOptions,
  refuseUnknownOptions,
  resolveClientOptions,
} from '../options.ts'
import { checkedGroup, messageModelOf, type PushConsumerPorts, withStableName } from '../push-consumer/options.ts'
import { type Subscriptions, subscriptionsOf } from '../push-consumer/subscription-table.ts'
import { type AllocateStrategyName, strategyOf } from '../rebalance/strategy-option.ts'

/** Called when the queues of a topic that this member should pull changed; topics as the user names them. */
export type QueuesChangedListener = (topic: string, all: readonly MessageQueue[], mine: readonly MessageQueue[]) => void

/** Settings of a pull consumer. Where RocketMQ has the option, Java's name and default are used. */
export interface PullConsumerOptions extends ClientOptions {
  /** The consumer group. */
  group: string
  /** Topics that heartbeats announce, and whose queues are divided among the group's members: see `queuesInBalance`. */
  subscriptions?: Subscriptions
  /** Where offsets live: at the broker (CLUSTERING, default) or in a file of this host (BROADCASTING). */
  messageModel?: MessageModel
  /** How queues are divided among the members, all of which must use the same. Default AVG. */
  allocateStrategy?: AllocateStrategy | AllocateStrategyName
  /** Whether the queues of `subscriptions` are divided at all. Default true. */
  enableRebalance?: boolean
  /** Called when a division changed this member's queues. Must not throw. */
  onQueuesChanged?: QueuesChangedListener
  /** How long the broker may hold a blocking pull. Default 20000. */
  brokerSuspendMaxTimeMs?: number
  /** Time-out of a blocking pull; not below `brokerSuspendMaxTimeMs`. Default 30000. */
  consumerTimeoutMsWhenSuspend?: number
  /** Time-out of a pull. Default 10000. */
  consumerPullTimeoutMs?: number
  /** Retries of a message given to `sendMessageBack` before it goes to the dead letters. Default 16. */
  maxReconsumeTimes?: number
  /** How often updated offsets are stored. Default 5000, at least 100. */
  persistConsumerOffsetIntervalMs?: number
  /** Time between rebalances when nothing happens. Default 20000, at least 100. */
  rebalanceIntervalMs?: number
  /** As that of a push consumer. */
  offsetStoreDirectory?: string
  /** Replaces the offset store. */
  offsetStore?: OffsetStore
}

/** {@link PullConsumerOptions} with every default applied. */
export interface ResolvedPullOptions {
  readonly client: ResolvedClientOptions
  readonly group: string
  readonly wireGroup: string
  readonly subscriptions: Subscriptions
  readonly messageModel: MessageModel
  readonly allocateStrategy: AllocateStrategy
  readonly enableRebalance: boolean
  readonly onQueuesChanged: QueuesChangedListener | undefined
  readonly suspendMs: number
  readonly blockingTimeoutMs: number
  readonly pullTimeoutMs: number
  readonly maxReconsumeTimes: number
  readonly persistIntervalMs: number
  readonly rebalanceIntervalMs: number
  readonly offsetStoreDirectory: string | undefined
  readonly offsetStore: OffsetStore | undefined
  readonly disk: Disk
}

const ownOptionNames: readonly (keyof PullConsumerOptions)[] = [
  'group',
  'subscriptions',
  'messageModel',
  'allocateStrategy',
  'enableRebalance',
  'onQueuesChanged',
  'brokerSuspendMaxTimeMs',
  'consumerTimeoutMsWhenSuspend',
  'consumerPullTimeoutMs',
  'maxReconsumeTimes',
  'persistConsumerOffsetIntervalMs',
  'rebalanceIntervalMs',
  'offsetStoreDirectory',
  'offsetStore',
]

/** Applies defaults and checks ranges. Throws `INVALID_ARGUMENT` naming the option. */
export function resolvePullOptions(options: PullConsumerOptions, ports: PushConsumerPorts = {}): ResolvedPullOptions {
  refuseUnknownOptions(options, [...clientOptionNames, ...ownOptionNames])
  const group = checkedGroup(options.group)
  const messageModel = messageModelOf(options.messageModel)
  const { disk = realDisk, ...clientPorts } = ports
  const client = resolveClientOptions(withStableName(options, messageModel), clientPorts)
  const number = integerOption
  const suspendMs = number('brokerSuspendMaxTimeMs', options.brokerSuspendMaxTimeMs, 20_000, 1)
  const blockingTimeoutMs = number('consumerTimeoutMsWhenSuspend', options.consumerTimeoutMsWhenSuspend, 30_000, 1)
  if (blockingTimeoutMs < suspendMs) {
    throw new RocketMqError(
      'INVALID_ARGUMENT',
      `consumerTimeoutMsWhenSuspend (${blockingTimeoutMs}) must not be below brokerSuspendMaxTimeMs (${suspendMs})`,
    )
  }
  return {
    client,
    group,
    wireGroup: withNamespace(client.namespace, group),
    subscriptions: subscriptionsOf(options.subscriptions),
    messageModel,
    allocateStrategy: strategyOf(options.allocateStrategy),
    enableRebalance: options.enableRebalance ?? true,
    onQueuesChanged: options.onQueuesChanged,
    suspendMs,
    blockingTimeoutMs,
    pullTimeoutMs: number('consumerPullTimeoutMs', options.consumerPullTimeoutMs, 10_000, 1),
    maxReconsumeTimes: number('maxReconsumeTimes', options.maxReconsumeTimes, 16, -1),
    persistIntervalMs: number('persistConsumerOffsetIntervalMs', options.persistConsumerOffsetIntervalMs, 5000, 100),
    rebalanceIntervalMs: number('rebalanceIntervalMs', options.rebalanceIntervalMs, 20_000, 100),
    offsetStoreDirectory: options.offsetStoreDirectory,
    offsetStore: options.offsetStore,
    disk,
  }
}
