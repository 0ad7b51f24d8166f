import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Waits until a group has something to pop; carries no messages. */
export const notification = defineApi({
  name: 'NOTIFICATION',
  code: RequestCode.NOTIFICATION,
  request: defineHeader('NotificationRequestHeader', {
    consumerGroup: required.string(),
    topic: required.string(),
    queueId: optional.int32(0),
    pollTime: optional.int64(0),
    bornTime: optional.int64(0),
    order: optional.boolean(false),
    attemptId: optional.string(),
    ...topicFields,
  }),
  response: defineHeader('NotificationResponseHeader', {
    hasMsg: optional.boolean(false),
    pollingFull: optional.boolean(false),
  }),
})
