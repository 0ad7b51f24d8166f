import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Changes how long a popped message stays invisible. */
export const changeMessageInvisibletime = defineApi({
  name: 'CHANGE_MESSAGE_INVISIBLETIME',
  code: RequestCode.CHANGE_MESSAGE_INVISIBLETIME,
  request: defineHeader('ChangeInvisibleTimeRequestHeader', {
    consumerGroup: required.string(),
    topic: required.string(),
    queueId: required.int32(),
    extraInfo: required.string(),
    offset: required.int64(),
    invisibleTime: required.int64(),
    ...topicFields,
  }),
  response: defineHeader('ChangeInvisibleTimeResponseHeader', {
    popTime: optional.int64(0),
    invisibleTime: optional.int64(0),
    reviveQid: optional.int32(0),
  }),
})
