import { defineApi, defineHeader, optional, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Shows entries of a consume queue, with what a group's filter makes of them. */
export const queryConsumeQueue = defineApi({
  name: 'QUERY_CONSUME_QUEUE',
  code: RequestCode.QUERY_CONSUME_QUEUE,
  request: defineHeader('QueryConsumeQueueRequestHeader', {
    topic: optional.string(),
    queueId: optional.int32(0),
    index: optional.int64Clamped(0),
    count: optional.int32(0),
    consumerGroup: optional.string(),
    ...topicFields,
  }),
})
