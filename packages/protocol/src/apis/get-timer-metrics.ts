import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** How many messages each topic has waiting in the timer. */
export const getTimerMetrics = defineApi({
  name: 'GET_TIMER_METRICS',
  code: RequestCode.GET_TIMER_METRICS,
})
