import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Topics marked as having subscriptions from units. */
export const getHasUnitSubTopicList = defineApi({
  name: 'GET_HAS_UNIT_SUB_TOPIC_LIST',
  code: RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST,
})
