import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** All consumer groups of a broker with their settings. */
export const getAllSubscriptiongroupConfig = defineApi({
  name: 'GET_ALL_SUBSCRIPTIONGROUP_CONFIG',
  code: RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG,
})
