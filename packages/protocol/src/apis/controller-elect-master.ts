import { defineApi, defineHeader, optional, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Asks the controller to elect a master. */
export const controllerElectMaster = defineApi({
  name: 'CONTROLLER_ELECT_MASTER',
  code: RequestCode.CONTROLLER_ELECT_MASTER,
  request: defineHeader('ElectMasterRequestHeader', {
    clusterName: required.string(),
    brokerName: required.string(),
    brokerId: optional.int64(-1),
    designateElect: optional.boolean(false),
    invokeTime: optional.int64(),
  }),
  response: defineHeader('ElectMasterResponseHeader', {
    masterBrokerId: optional.int64(),
    masterAddress: optional.string(),
    masterEpoch: optional.int32(),
    syncStateSetEpoch: optional.int32(),
  }),
})
