import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Topics marked as belonging to a unit. */
export const getUnitTopicList = defineApi({
  name: 'GET_UNIT_TOPIC_LIST',
  code: RequestCode.GET_UNIT_TOPIC_LIST,
})
