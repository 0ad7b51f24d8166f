import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Offsets of the delay levels, for a slave. */
export const getAllDelayOffset = defineApi({
  name: 'GET_ALL_DELAY_OFFSET',
  code: RequestCode.GET_ALL_DELAY_OFFSET,
})
