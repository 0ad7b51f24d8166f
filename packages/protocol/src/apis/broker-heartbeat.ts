import { defineApi, defineHeader, optional, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Keeps a broker registered without its topics; mostly oneway. */
export const brokerHeartbeat = defineApi({
  name: 'BROKER_HEARTBEAT',
  code: RequestCode.BROKER_HEARTBEAT,
  request: defineHeader('BrokerHeartbeatRequestHeader', {
    clusterName: required.string(),
    brokerAddr: required.string(),
    brokerName: required.string(),
    brokerId: optional.int64(),
    epoch: optional.int32(),
    maxOffset: optional.int64(),
    confirmOffset: optional.int64(),
    heartbeatTimeoutMills: optional.int64(),
    electionPriority: optional.int32(),
  }),
})
