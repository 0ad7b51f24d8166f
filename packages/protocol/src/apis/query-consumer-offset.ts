import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Reads the offset that a group has stored for a queue; 22 when there is none. */
export const queryConsumerOffset = defineApi({
  name: 'QUERY_CONSUMER_OFFSET',
  code: RequestCode.QUERY_CONSUMER_OFFSET,
  request: defineHeader('QueryConsumerOffsetRequestHeader', {
    consumerGroup: required.string(),
    topic: required.string(),
    queueId: required.int32(),
    setZeroIfNotFound: optional.boolean(),
    ...topicFields,
  }),
  response: defineHeader('QueryConsumerOffsetResponseHeader', { offset: required.int64() }),
})
