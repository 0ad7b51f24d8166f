import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** A broker registers its address with the controller under an id that it has applied for. */
export const controllerRegisterBroker = defineApi({
  name: 'CONTROLLER_REGISTER_BROKER',
  code: RequestCode.CONTROLLER_REGISTER_BROKER,
  request: defineHeader('RegisterBrokerToControllerRequestHeader', {
    clusterName: optional.string(),
    brokerName: optional.string(),
    brokerId: optional.int64(),
    brokerAddress: optional.string(),
    invokeTime: optional.int64(0),
  }),
  response: defineHeader('RegisterBrokerToControllerResponseHeader', {
    clusterName: optional.string(),
    brokerName: optional.string(),
    masterBrokerId: optional.int64(),
    masterAddress: optional.string(),
    masterEpoch: optional.int32(),
    syncStateSetEpoch: optional.int32(),
  }),
})
