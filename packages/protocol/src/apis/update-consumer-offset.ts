import { defineApi, defineHeader, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Stores the offset of a group for a queue; mostly oneway. */
export const updateConsumerOffset = defineApi({
  name: 'UPDATE_CONSUMER_OFFSET',
  code: RequestCode.UPDATE_CONSUMER_OFFSET,
  request: defineHeader('UpdateConsumerOffsetRequestHeader', {
    consumerGroup: required.string(),
    topic: required.string(),
    queueId: required.int32(),
    commitOffset: required.int64(),
    ...topicFields,
  }),
  response: defineHeader('UpdateConsumerOffsetResponseHeader', {}),
})
