import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Names of clusters and brokers, which exist as topics, and the address of one broker. */
export const getSystemTopicListFromNs = defineApi({
  name: 'GET_SYSTEM_TOPIC_LIST_FROM_NS',
  code: RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS,
})
