import type { MessageQueue } from '@rocketmq-ts/model'
import type { OffsetWrapper } from '@rocketmq-ts/protocol'
import type { ConsumerGroups } from '../client/consumer-groups.ts'
import type { ConsumerOffsets } from '../offset/consumer-offsets.ts'
import type { BrokerOptions } from '../options.ts'
import type { TopicTable } from '../topic/topic-table.ts'
import type { BrokerStats } from './broker-stats.ts'
import type { QueueReader } from './queue-reader.ts'

/** What {@link consumeStatsOf} uses. */
export interface ConsumeStatsDeps {
  readonly topics: TopicTable
  readonly offsets: ConsumerOffsets
  readonly consumers: ConsumerGroups
  readonly stats: BrokerStats
  readonly store: QueueReader
  readonly options: BrokerOptions
}

/** How far a group has come in the queues of some topics, and what it gets of them in a second. */
export interface GroupProgress {
  readonly offsetTable: Map<MessageQueue, OffsetWrapper>
  consumeTps: number
}

/**
 * The topics that count for a group: those of which it has offsets (or the one given), but for those that its online
 * members don't subscribe to. Source: AdminBrokerProcessor#getTopicsForCollectingConsumeStats, 5.3.x
 */
export function topicsOfGroup(group: string, topic: string | undefined, deps: ConsumeStatsDeps): string[] {
  const known = topic === undefined || topic.trim() === '' ? deps.offsets.topicsOf(group) : [topic]
  return known.filter(name => isSubscribed(group, name, deps.consumers))
}

/** False only when the group is online with subscriptions, and none of them is this topic. */
export function isSubscribed(group: string, topic: string, consumers: ConsumerGroups): boolean {
  const online = consumers.get(group)
  return online === undefined || online.subscriptionCount === 0 || online.subscriptionOf(topic) !== undefined
}

/** Adds the progress of `group` in the first `queueCount` queues of one topic. */
export async function addProgress(
  progress: GroupProgress,
  group: string,
  topic: string,
  queueCount: number,
  deps: ConsumeStatsDeps,
): Promise<void> {
  const { store, offsets, options } = deps
  for (let queueId = 0; queueId < queueCount; queueId++) {
    const consumerOffset = Math.max(0, offsets.query(group, topic, queueId))
    const lastTimestamp = consumerOffset > 0 ? await store.storeTimeOf(topic, queueId, consumerOffset - 1) : 0
    progress.offsetTable.set(
      { topic, brokerName: options.brokerName, queueId },
      {
        brokerOffset: Math.max(0, store.maxOffset(topic, queueId)),
        consumerOffset,
        pullOffset: Math.max(consumerOffset, offsets.queryPulled(group, topic, queueId)),
        lastTimestamp: Math.max(0, lastTimestamp),
      },
    )
  }
  progress.consumeTps += deps.stats.groupGetTps(group, topic)
}

/** Messages stored but not consumed, and pulled but not consumed, over all queues. */
export function totalsOf(progress: GroupProgress): { diff: number; inflight: number } {
  let diff = 0
  let inflight = 0
  for (const queue of progress.offsetTable.values()) {
    diff += queue.brokerOffset - queue.consumerOffset
    inflight += queue.pullOffset - queue.consumerOffset
  }
  return { diff, inflight }
}
