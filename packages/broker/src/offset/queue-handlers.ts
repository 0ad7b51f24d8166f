import { getEarliestMsgStoretime, getMaxOffset, getMinOffset, searchOffsetByTimestamp } from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { MessageStore } from '@rocketmq-ts/store'

/**
 * SEARCH_OFFSET_BY_TIMESTAMP (29), GET_MAX_OFFSET (30), GET_MIN_OFFSET (31) and GET_EARLIEST_MSG_STORETIME (32): what the
 * store knows of a queue. An unknown queue is an empty one: 0, 0, -1.
 * Source: AdminBrokerProcessor, 5.3.x
 */
export function registerQueueOffsets(router: Router, deps: { readonly store: MessageStore }): void {
  const { store } = deps
  router.handle(getMaxOffset, ({ header }) => {
    return { header: { offset: store.maxOffset(header.topic, header.queueId) } }
  })
  router.handle(getMinOffset, ({ header }) => {
    // Java sends an empty remark with this one.
    return { remark: '', header: { offset: store.minOffset(header.topic, header.queueId) } }
  })
  router.handle(searchOffsetByTimestamp, async ({ header }) => {
    const boundary = header.boundaryType === 'UPPER' ? 'upper' : 'lower'
    return { header: { offset: await store.offsetByTime(header.topic, header.queueId, header.timestamp, boundary) } }
  })
  router.handle(getEarliestMsgStoretime, async ({ header }) => {
    const { topic, queueId } = header
    return { header: { timestamp: await store.storeTimeOf(topic, queueId, store.minOffset(topic, queueId)) } }
  })
}
