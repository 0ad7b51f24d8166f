import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The topics that are built into a broker. */
export const getSystemTopicListFromBroker = defineApi({
  name: 'GET_SYSTEM_TOPIC_LIST_FROM_BROKER',
  code: RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_BROKER,
})
