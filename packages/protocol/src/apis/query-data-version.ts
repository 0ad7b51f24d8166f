import { defineApi, defineHeader, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Asks whether the name server still has the topics of this data version; also a heartbeat. */
export const queryDataVersion = defineApi({
  name: 'QUERY_DATA_VERSION',
  code: RequestCode.QUERY_DATA_VERSION,
  request: defineHeader('QueryDataVersionRequestHeader', {
    brokerName: required.string(),
    brokerAddr: required.string(),
    clusterName: required.string(),
    brokerId: required.int64(),
  }),
  response: defineHeader('QueryDataVersionResponseHeader', { changed: required.boolean() }),
})
