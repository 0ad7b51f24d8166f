import { defineApi, defineHeader } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** All topics of a broker with their settings and static-topic mappings. */
export const getAllTopicConfig = defineApi({
  name: 'GET_ALL_TOPIC_CONFIG',
  code: RequestCode.GET_ALL_TOPIC_CONFIG,
  response: defineHeader('GetAllTopicConfigResponseHeader', {}),
})
