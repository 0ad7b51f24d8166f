import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The epochs that a broker's commit log went through; only in controller mode. */
export const getBrokerEpochCache = defineApi({
  name: 'GET_BROKER_EPOCH_CACHE',
  code: RequestCode.GET_BROKER_EPOCH_CACHE,
})
