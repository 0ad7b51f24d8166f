import { defineApi, defineHeader, required, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The settings of one consumer group. */
export const getSubscriptiongroupConfig = defineApi({
  name: 'GET_SUBSCRIPTIONGROUP_CONFIG',
  code: RequestCode.GET_SUBSCRIPTIONGROUP_CONFIG,
  request: defineHeader('GetSubscriptionGroupConfigRequestHeader', { group: required.string(), ...rpcFields }),
})
