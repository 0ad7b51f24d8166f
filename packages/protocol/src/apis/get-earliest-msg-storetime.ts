import { defineApi, defineHeader, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** When the first message of a queue was stored, in milliseconds since 1970; -1 when empty. */
export const getEarliestMsgStoretime = defineApi({
  name: 'GET_EARLIEST_MSG_STORETIME',
  code: RequestCode.GET_EARLIEST_MSG_STORETIME,
  request: defineHeader('GetEarliestMsgStoretimeRequestHeader', {
    topic: required.string(),
    queueId: required.int32(),
    ...topicFields,
  }),
  response: defineHeader('GetEarliestMsgStoretimeResponseHeader', { timestamp: required.int64() }),
})
