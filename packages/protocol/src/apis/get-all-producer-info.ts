import { defineApi, defineHeader } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** All producer groups with their clients. */
export const getAllProducerInfo = defineApi({
  name: 'GET_ALL_PRODUCER_INFO',
  code: RequestCode.GET_ALL_PRODUCER_INFO,
  request: defineHeader('GetAllProducerInfoRequestHeader', {}),
})
