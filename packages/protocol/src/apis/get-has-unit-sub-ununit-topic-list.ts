import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Topics marked as having subscriptions from units without belonging to one. */
export const getHasUnitSubUnunitTopicList = defineApi({
  name: 'GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST',
  code: RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST,
})
