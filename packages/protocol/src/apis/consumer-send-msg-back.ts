import { defineApi, defineHeader, optional, required, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Asks for a message to be delivered again later, or to be moved to the dead-letter topic. */
export const consumerSendMsgBack = defineApi({
  name: 'CONSUMER_SEND_MSG_BACK',
  code: RequestCode.CONSUMER_SEND_MSG_BACK,
  request: defineHeader('ConsumerSendMsgBackRequestHeader', {
    offset: required.int64(),
    group: required.string(),
    delayLevel: required.int32(),
    originMsgId: optional.string(),
    originTopic: optional.string(),
    unitMode: optional.boolean(false),
    maxReconsumeTimes: optional.int32(),
    ...rpcFields,
  }),
})
