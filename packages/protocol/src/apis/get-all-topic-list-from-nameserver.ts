import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** All topics that the name server knows. */
export const getAllTopicListFromNameserver = defineApi({
  name: 'GET_ALL_TOPIC_LIST_FROM_NAMESERVER',
  code: RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER,
})
