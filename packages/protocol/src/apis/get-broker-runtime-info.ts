import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Counters, rates and state of a broker as a table of texts. */
export const getBrokerRuntimeInfo = defineApi({
  name: 'GET_BROKER_RUNTIME_INFO',
  code: RequestCode.GET_BROKER_RUNTIME_INFO,
})
