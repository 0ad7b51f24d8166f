import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Takes messages that stay invisible to others until acknowledged or timed out. */
export const popMessage = defineApi({
  name: 'POP_MESSAGE',
  code: RequestCode.POP_MESSAGE,
  request: defineHeader('PopMessageRequestHeader', {
    consumerGroup: required.string(),
    topic: required.string(),
    queueId: optional.int32(0),
    maxMsgNums: optional.int32(0),
    invisibleTime: optional.int64(0),
    pollTime: optional.int64(0),
    bornTime: optional.int64(0),
    initMode: optional.int32(0),
    expType: optional.string(),
    exp: optional.string(),
    order: optional.boolean(false),
    attemptId: optional.string(),
    ...topicFields,
  }),
  response: defineHeader('PopMessageResponseHeader', {
    popTime: optional.int64(0),
    invisibleTime: optional.int64(0),
    reviveQid: optional.int32(0),
    restNum: optional.int64(0),
    startOffsetInfo: optional.string(),
    msgOffsetInfo: optional.string(),
    orderCountInfo: optional.string(),
  }),
})
