import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** A slave asks its master for the replication address and flush offset, or is told them. */
export const exchangeBrokerHaInfo = defineApi({
  name: 'EXCHANGE_BROKER_HA_INFO',
  code: RequestCode.EXCHANGE_BROKER_HA_INFO,
  request: defineHeader('ExchangeHAInfoRequestHeader', {
    masterHaAddress: optional.string(),
    masterFlushOffset: optional.int64(),
    masterAddress: optional.string(),
  }),
  response: defineHeader('ExchangeHAInfoResponseHeader', {
    masterHaAddress: optional.string(),
    masterFlushOffset: optional.int64(),
    masterAddress: optional.string(),
  }),
})
