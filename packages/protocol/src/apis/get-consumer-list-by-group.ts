import { defineApi, defineHeader, required, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The client ids that consume for a group; what rebalancing divides the queues among. */
export const getConsumerListByGroup = defineApi({
  name: 'GET_CONSUMER_LIST_BY_GROUP',
  code: RequestCode.GET_CONSUMER_LIST_BY_GROUP,
  request: defineHeader('GetConsumerListByGroupRequestHeader', { consumerGroup: required.string(), ...rpcFields }),
  response: defineHeader('GetConsumerListByGroupResponseHeader', {}),
})
