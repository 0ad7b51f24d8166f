import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Has one client consume one message at once; the broker forwards it. */
export const consumeMessageDirectly = defineApi({
  name: 'CONSUME_MESSAGE_DIRECTLY',
  code: RequestCode.CONSUME_MESSAGE_DIRECTLY,
  request: defineHeader('ConsumeMessageDirectlyResultRequestHeader', {
    consumerGroup: required.string(),
    clientId: optional.string(),
    msgId: optional.string(),
    brokerName: optional.string(),
    topic: optional.string(),
    topicSysFlag: optional.int32(),
    groupSysFlag: optional.int32(),
    ...topicFields,
  }),
})
