import { defineApi, defineHeader, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Offsets and last update of every queue of a topic. */
export const getTopicStatsInfo = defineApi({
  name: 'GET_TOPIC_STATS_INFO',
  code: RequestCode.GET_TOPIC_STATS_INFO,
  request: defineHeader('GetTopicStatsInfoRequestHeader', { topic: required.string(), ...topicFields }),
})
