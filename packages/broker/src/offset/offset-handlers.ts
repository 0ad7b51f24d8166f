import {
  consumerOffsetWrapper,
  getAllConsumerOffset,
  queryConsumerOffset,
  ResponseCode,
  updateConsumerOffset,
} from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { MessageStore } from '@rocketmq-ts/store'
import { hasGroup, topicOf } from '../light-queues.ts'
import type { SubscriptionGroupTable } from '../subscription/group-table.ts'
import type { TopicTable } from '../topic/topic-table.ts'
import type { ConsumerOffsets } from './consumer-offsets.ts'
import { wrapperOf } from './offset-file.ts'

/** What the requests about stored offsets use. */
export interface OffsetDeps {
  readonly offsets: ConsumerOffsets
  readonly store: MessageStore
  readonly topics: TopicTable
  readonly groups: SubscriptionGroupTable
  readonly options: { readonly useServerSideResetOffset: boolean; readonly enableLmq: boolean }
}

/**
 * QUERY_CONSUMER_OFFSET (14), UPDATE_CONSUMER_OFFSET (15) and, for slaves and tools, GET_ALL_CONSUMER_OFFSET (43).
 *
 * A group that has stored nothing is answered 0 while the queue still begins at 0 and its first message is in memory, so
 * that a young topic is read from its start whatever the consumer asked for; `setZeroIfNotFound=false` switches that off.
 * Source: ConsumerManageProcessor#queryConsumerOffset, #updateConsumerOffset, 5.3.x
 */
export function registerOffsets(router: Router, deps: OffsetDeps): void {
  const { offsets, store, topics, groups, options } = deps

  router.handle(queryConsumerOffset, ({ header }) => {
    const { consumerGroup, topic, queueId } = header
    const offset = offsets.query(consumerGroup, topic, queueId)
    if (offset >= 0) return { header: { offset } }
    if (header.setZeroIfNotFound === false) {
      return notFound('Not found, do not set to zero, maybe this group boot first')
    }
    if (store.minOffset(topic, queueId) <= 0 && store.isInMemory(topic, queueId, 0)) return { header: { offset: 0 } }
    return notFound('Not found, V3_0_6_SNAPSHOT maybe this group consumer boot first')
  })

  router.handle(getAllConsumerOffset, () => ({
    body: consumerOffsetWrapper.encode(wrapperOf(offsets, options.enableLmq)),
  }))

  router.handle(updateConsumerOffset, ({ header }) => {
    const { consumerGroup, topic, queueId, commitOffset } = header
    if (!hasGroup(groups, options, consumerGroup)) {
      const remark = `Group ${consumerGroup} not exist!`
      return { code: ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, remark, header: {} }
    }
    if (topicOf(topics, options, topic) === undefined) {
      return { code: ResponseCode.TOPIC_NOT_EXIST, remark: `Topic ${topic} not exist!`, header: {} }
    }
    if (options.useServerSideResetOffset && offsets.hasReset(consumerGroup, topic, queueId)) {
      return { remark: 'Offset has been previously reset', header: {} }
    }
    offsets.commit(consumerGroup, topic, queueId, commitOffset)
    return { header: {} }
  })
}

function notFound(remark: string) {
  return { code: ResponseCode.QUERY_NOT_FOUND, remark, ext: {} }
}
