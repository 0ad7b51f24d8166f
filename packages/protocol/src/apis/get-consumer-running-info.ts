import { defineApi, defineHeader, optional, required, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** What a consumer is doing; the broker forwards the question to it. */
export const getConsumerRunningInfo = defineApi({
  name: 'GET_CONSUMER_RUNNING_INFO',
  code: RequestCode.GET_CONSUMER_RUNNING_INFO,
  request: defineHeader('GetConsumerRunningInfoRequestHeader', {
    consumerGroup: required.string(),
    clientId: required.string(),
    jstackEnable: optional.boolean(false),
    ...rpcFields,
  }),
})
