import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Creates a consumer group or replaces its settings. */
export const updateAndCreateSubscriptiongroup = defineApi({
  name: 'UPDATE_AND_CREATE_SUBSCRIPTIONGROUP',
  code: RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP,
})
