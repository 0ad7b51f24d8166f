import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Reads messages of one queue from an offset on; held by the broker when there are none and `sysFlag` allows it. */
export const pullMessage = defineApi({
  name: 'PULL_MESSAGE',
  code: RequestCode.PULL_MESSAGE,
  request: defineHeader('PullMessageRequestHeader', {
    consumerGroup: required.string(),
    topic: required.string(),
    queueId: required.int32(),
    queueOffset: required.int64Clamped(),
    maxMsgNums: required.int32(),
    sysFlag: required.int32(),
    commitOffset: required.int64(),
    suspendTimeoutMillis: required.int64(),
    subscription: optional.string(),
    subVersion: required.int64(),
    expressionType: optional.string(),
    maxMsgBytes: optional.int32(),
    requestSource: optional.int32(),
    proxyFrowardClientId: optional.string(),
    ...topicFields,
  }),
  response: defineHeader('PullMessageResponseHeader', {
    suggestWhichBrokerId: required.int64(),
    nextBeginOffset: required.int64(),
    minOffset: required.int64(),
    maxOffset: required.int64(),
    offsetDelta: optional.int64(),
    topicSysFlag: optional.int32(),
    groupSysFlag: optional.int32(),
    forbiddenType: optional.int32(),
  }),
})
