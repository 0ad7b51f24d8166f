import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** A broker hands the reply of a request-reply call to the requester. */
export const pushReplyMessageToClient = defineApi({
  name: 'PUSH_REPLY_MESSAGE_TO_CLIENT',
  code: RequestCode.PUSH_REPLY_MESSAGE_TO_CLIENT,
  request: defineHeader('ReplyMessageRequestHeader', {
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
    unitMode: optional.boolean(false),
    bornHost: required.string(),
    storeHost: required.string(),
    storeTimestamp: optional.int64(0),
    ...topicFields,
  }),
})
