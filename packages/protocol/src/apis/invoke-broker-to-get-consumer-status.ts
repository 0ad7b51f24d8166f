import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The offsets that the clients of a group hold in memory, collected by the broker. */
export const invokeBrokerToGetConsumerStatus = defineApi({
  name: 'INVOKE_BROKER_TO_GET_CONSUMER_STATUS',
  code: RequestCode.INVOKE_BROKER_TO_GET_CONSUMER_STATUS,
  request: defineHeader('GetConsumerStatusRequestHeader', {
    topic: required.string(),
    group: required.string(),
    clientAddr: optional.string(),
    ...topicFields,
  }),
})
