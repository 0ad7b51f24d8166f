import {
  groupList,
  queryCorrectionOffset,
  queryCorrectionOffsetBody,
  querySubscriptionByConsumer,
  querySubscriptionResponse,
  queryTopicConsumeByWho,
  queryTopicsByConsumer,
  topicList,
} from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { ConsumerGroups } from '../client/consumer-groups.ts'
import type { ConsumerOffsets } from '../offset/consumer-offsets.ts'
import type { QueueReader } from '../stats/queue-reader.ts'

/** What {@link registerSubscriptionQueries} uses. */
export interface SubscriptionQueryDeps {
  readonly consumers: ConsumerGroups
  readonly offsets: ConsumerOffsets
  readonly store: Pick<QueueReader, 'minOffset'>
  /** `ip:port` under which the broker is registered. */
  readonly brokerAddress: () => string
}

/** Which group reads which topic. Source: AdminBrokerProcessor#queryTopicConsumeByWho and its siblings, 5.3.x */
export function registerSubscriptionQueries(router: Router, deps: SubscriptionQueryDeps): void {
  const { consumers, offsets } = deps

  router.handle(queryTopicConsumeByWho, ({ header }) => {
    const groups = new Set([...consumers.groupsOf(header.topic), ...offsets.groupsOf(header.topic)])
    return { body: groupList.encode({ groupList: [...groups] }) }
  })

  router.handle(queryTopicsByConsumer, ({ header }) => ({
    body: topicList.encode({ topicList: offsets.topicsOf(header.group), brokerAddr: deps.brokerAddress() }),
  }))

  router.handle(querySubscriptionByConsumer, ({ header }) => {
    const { group, topic = '' } = header
    const subscriptionData = consumers.get(group)?.subscriptionOf(topic)?.data
    return {
      body: querySubscriptionResponse.encode({
        group,
        topic,
        ...(subscriptionData === undefined ? {} : { subscriptionData }),
      }),
    }
  })

  router.handle(queryCorrectionOffset, ({ header }) => {
    const { topic, compareGroup, filterGroups = '' } = header
    const excluded = new Set(filterGroups.split(',').filter(name => name !== ''))
    const smallest = smallestOffsets(topic, excluded, deps)
    for (const [queueId, offset] of offsets.offsetsOf(compareGroup, topic) ?? []) {
      const least = smallest.get(queueId)
      // Long.MAX_VALUE: nothing to correct, the group is not ahead of any other.
      if (least === undefined || least > offset) smallest.set(queueId, 2 ** 63)
    }
    return { body: queryCorrectionOffsetBody.encode({ correctionOffsets: smallest }) }
  })
}

/** The smallest offset of each queue over all groups but the excluded ones; offsets of deleted messages don't count. */
function smallestOffsets(
  topic: string,
  excluded: ReadonlySet<string>,
  deps: SubscriptionQueryDeps,
): Map<number, number> {
  const smallest = new Map<number, number>()
  for (const group of deps.offsets.groupsOf(topic)) {
    // Java drops the offsets of the excluded groups for good here.
    if (excluded.has(group)) continue
    for (const [queueId, offset] of deps.offsets.offsetsOf(group, topic) ?? []) {
      if (offset < deps.store.minOffset(topic, queueId)) continue
      smallest.set(queueId, Math.min(offset, smallest.get(queueId) ?? offset))
    }
  }
  return smallest
}
