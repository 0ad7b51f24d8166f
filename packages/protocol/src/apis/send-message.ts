import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Stores one message; header fields with their full names. Sent by old clients; the answer's code 10, 11 or 12 still means "stored". */
export const sendMessage = defineApi({
  name: 'SEND_MESSAGE',
  code: RequestCode.SEND_MESSAGE,
  request: defineHeader('SendMessageRequestHeader', {
    producerGroup: required.string(),
    topic: required.string(),
    defaultTopic: required.string(),
    defaultTopicQueueNums: required.int32(),
    queueId: required.int32(),
    sysFlag: required.int32(),
    bornTimestamp: required.int64(),
    flag: required.int32(),
    properties: optional.string(),
    reconsumeTimes: optional.int32(),
    unitMode: optional.boolean(),
    batch: optional.boolean(),
    maxReconsumeTimes: optional.int32(),
    ...topicFields,
  }),
  response: defineHeader('SendMessageResponseHeader', {
    msgId: required.string(),
    queueId: required.int32(),
    queueOffset: required.int64(),
    transactionId: optional.string(),
    batchUniqId: optional.string(),
    recallHandle: optional.string(),
  }),
})
