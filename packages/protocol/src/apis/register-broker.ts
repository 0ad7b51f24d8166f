import { defineApi, defineHeader, optional, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** A broker tells a name server its address and topics; repeated as heartbeat. */
export const registerBroker = defineApi({
  name: 'REGISTER_BROKER',
  code: RequestCode.REGISTER_BROKER,
  request: defineHeader('RegisterBrokerRequestHeader', {
    brokerName: required.string(),
    brokerAddr: required.string(),
    clusterName: required.string(),
    haServerAddr: required.string(),
    brokerId: required.int64(),
    heartbeatTimeoutMillis: optional.int64Clamped(),
    enableActingMaster: optional.boolean(),
    compressed: optional.boolean(false),
    bodyCrc32: optional.int32(0),
  }),
  response: defineHeader('RegisterBrokerResponseHeader', {
    haServerAddr: optional.string(),
    masterAddr: optional.string(),
  }),
})
