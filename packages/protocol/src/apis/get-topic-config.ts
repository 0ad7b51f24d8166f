import { defineApi, defineHeader, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The settings of one topic. */
export const getTopicConfig = defineApi({
  name: 'GET_TOPIC_CONFIG',
  code: RequestCode.GET_TOPIC_CONFIG,
  request: defineHeader('GetTopicConfigRequestHeader', { topic: required.string(), ...topicFields }),
})
