import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** All stored consumer offsets, for a slave. */
export const getAllConsumerOffset = defineApi({
  name: 'GET_ALL_CONSUMER_OFFSET',
  code: RequestCode.GET_ALL_CONSUMER_OFFSET,
})
