import { defineApi, defineHeader, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Sums and rates of one statistic for the last minute, hour and day. */
export const viewBrokerStatsData = defineApi({
  name: 'VIEW_BROKER_STATS_DATA',
  code: RequestCode.VIEW_BROKER_STATS_DATA,
  request: defineHeader('ViewBrokerStatsDataRequestHeader', {
    statsName: required.string(),
    statsKey: required.string(),
  }),
})
