import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Check point of the timer, for a slave. */
export const getTimerCheckPoint = defineApi({
  name: 'GET_TIMER_CHECK_POINT',
  code: RequestCode.GET_TIMER_CHECK_POINT,
})
