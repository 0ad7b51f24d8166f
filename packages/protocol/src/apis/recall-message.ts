import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Takes back a scheduled message that has not been delivered yet. */
export const recallMessage = defineApi({
  name: 'RECALL_MESSAGE',
  code: RequestCode.RECALL_MESSAGE,
  request: defineHeader('RecallMessageRequestHeader', {
    producerGroup: optional.string(),
    topic: required.string(),
    recallHandle: required.string(),
    ...topicFields,
  }),
  response: defineHeader('RecallMessageResponseHeader', { msgId: required.string() }),
})
