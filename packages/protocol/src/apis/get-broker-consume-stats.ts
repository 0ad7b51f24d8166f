import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** GET_CONSUME_STATS of all groups of a broker, ordered ones or the others. */
export const getBrokerConsumeStats = defineApi({
  name: 'GET_BROKER_CONSUME_STATS',
  code: RequestCode.GET_BROKER_CONSUME_STATS,
  request: defineHeader('GetConsumeStatsInBrokerHeader', { isOrder: optional.boolean(false) }),
})
