import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** UPDATE_AND_CREATE_SUBSCRIPTIONGROUP for several groups. */
export const updateAndCreateSubscriptiongroupList = defineApi({
  name: 'UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST',
  code: RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST,
})
