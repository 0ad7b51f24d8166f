import { defineApi, defineHeader, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Acknowledges one popped message. */
export const ackMessage = defineApi({
  name: 'ACK_MESSAGE',
  code: RequestCode.ACK_MESSAGE,
  request: defineHeader('AckMessageRequestHeader', {
    consumerGroup: required.string(),
    topic: required.string(),
    queueId: required.int32(),
    extraInfo: required.string(),
    offset: required.int64(),
    ...topicFields,
  }),
})
