import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The offset that the next message of a queue will get. */
export const getMaxOffset = defineApi({
  name: 'GET_MAX_OFFSET',
  code: RequestCode.GET_MAX_OFFSET,
  request: defineHeader('GetMaxOffsetRequestHeader', {
    topic: required.string(),
    queueId: required.int32(),
    committed: optional.boolean(true),
    ...topicFields,
  }),
  response: defineHeader('GetMaxOffsetResponseHeader', { offset: required.int64() }),
})
