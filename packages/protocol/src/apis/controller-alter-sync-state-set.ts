import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** A master tells the controller which replicas are in sync. */
export const controllerAlterSyncStateSet = defineApi({
  name: 'CONTROLLER_ALTER_SYNC_STATE_SET',
  code: RequestCode.CONTROLLER_ALTER_SYNC_STATE_SET,
  request: defineHeader('AlterSyncStateSetRequestHeader', {
    brokerName: optional.string(),
    masterBrokerId: optional.int64(),
    masterEpoch: optional.int32(),
    invokeTime: optional.int64(),
  }),
  response: defineHeader('AlterSyncStateSetResponseHeader', { newSyncStateSetEpoch: optional.int32(0) }),
})
