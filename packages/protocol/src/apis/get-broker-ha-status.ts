import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Connections and positions of the replication. */
export const getBrokerHaStatus = defineApi({
  name: 'GET_BROKER_HA_STATUS',
  code: RequestCode.GET_BROKER_HA_STATUS,
})
