import { defineApi, defineHeader, required, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Clients of a producer group; 1 when nobody is online. */
export const getProducerConnectionList = defineApi({
  name: 'GET_PRODUCER_CONNECTION_LIST',
  code: RequestCode.GET_PRODUCER_CONNECTION_LIST,
  request: defineHeader('GetProducerConnectionListRequestHeader', { producerGroup: required.string(), ...rpcFields }),
})
