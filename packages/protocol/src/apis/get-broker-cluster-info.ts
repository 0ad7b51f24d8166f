import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** All clusters and brokers with their addresses. */
export const getBrokerClusterInfo = defineApi({
  name: 'GET_BROKER_CLUSTER_INFO',
  code: RequestCode.GET_BROKER_CLUSTER_INFO,
})
