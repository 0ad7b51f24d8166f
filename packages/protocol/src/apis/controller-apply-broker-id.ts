import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Applies for a broker id; the check code makes repeating it safe. */
export const controllerApplyBrokerId = defineApi({
  name: 'CONTROLLER_APPLY_BROKER_ID',
  code: RequestCode.CONTROLLER_APPLY_BROKER_ID,
  request: defineHeader('ApplyBrokerIdRequestHeader', {
    clusterName: optional.string(),
    brokerName: optional.string(),
    appliedBrokerId: optional.int64(),
    registerCheckCode: optional.string(),
  }),
  response: defineHeader('ApplyBrokerIdResponseHeader', {
    clusterName: optional.string(),
    brokerName: optional.string(),
  }),
})
