import { defineApi, defineHeader, optional, required, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Deletes a consumer group on one broker, with its offsets when asked. */
export const deleteSubscriptiongroup = defineApi({
  name: 'DELETE_SUBSCRIPTIONGROUP',
  code: RequestCode.DELETE_SUBSCRIPTIONGROUP,
  request: defineHeader('DeleteSubscriptionGroupRequestHeader', {
    groupName: required.string(),
    cleanOffset: optional.boolean(false),
    ...rpcFields,
  }),
})
