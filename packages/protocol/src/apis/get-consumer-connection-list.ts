import { defineApi, defineHeader, required, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Clients, subscriptions and modes of a consumer group; 206 when nobody is online. */
export const getConsumerConnectionList = defineApi({
  name: 'GET_CONSUMER_CONNECTION_LIST',
  code: RequestCode.GET_CONSUMER_CONNECTION_LIST,
  request: defineHeader('GetConsumerConnectionListRequestHeader', { consumerGroup: required.string(), ...rpcFields }),
})
