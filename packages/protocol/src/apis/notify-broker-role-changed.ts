import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The controller tells a broker who is master now. */
export const notifyBrokerRoleChanged = defineApi({
  name: 'NOTIFY_BROKER_ROLE_CHANGED',
  code: RequestCode.NOTIFY_BROKER_ROLE_CHANGED,
  request: defineHeader('NotifyBrokerRoleChangedRequestHeader', {
    masterAddress: optional.string(),
    masterEpoch: optional.int32(),
    syncStateSetEpoch: optional.int32(),
    masterBrokerId: optional.int64(),
  }),
})
