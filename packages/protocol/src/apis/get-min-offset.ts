import { defineApi, defineHeader, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The smallest offset that a queue still holds. */
export const getMinOffset = defineApi({
  name: 'GET_MIN_OFFSET',
  code: RequestCode.GET_MIN_OFFSET,
  request: defineHeader('GetMinOffsetRequestHeader', {
    topic: required.string(),
    queueId: required.int32(),
    ...topicFields,
  }),
  response: defineHeader('GetMinOffsetResponseHeader', { offset: required.int64() }),
})
