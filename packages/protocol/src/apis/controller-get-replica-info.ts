import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The master of a broker set and its in-sync replicas. */
export const controllerGetReplicaInfo = defineApi({
  name: 'CONTROLLER_GET_REPLICA_INFO',
  code: RequestCode.CONTROLLER_GET_REPLICA_INFO,
  request: defineHeader('GetReplicaInfoRequestHeader', { brokerName: optional.string() }),
  response: defineHeader('GetReplicaInfoResponseHeader', {
    masterBrokerId: optional.int64(),
    masterAddress: optional.string(),
    masterEpoch: optional.int32(),
  }),
})
