import { defineApi, defineHeader, required, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The topics that a group consumes. */
export const queryTopicsByConsumer = defineApi({
  name: 'QUERY_TOPICS_BY_CONSUMER',
  code: RequestCode.QUERY_TOPICS_BY_CONSUMER,
  request: defineHeader('QueryTopicsByConsumerRequestHeader', { group: required.string(), ...rpcFields }),
})
