import { defineApi, defineHeader, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The groups that consume a topic. */
export const queryTopicConsumeByWho = defineApi({
  name: 'QUERY_TOPIC_CONSUME_BY_WHO',
  code: RequestCode.QUERY_TOPIC_CONSUME_BY_WHO,
  request: defineHeader('QueryTopicConsumeByWhoRequestHeader', { topic: required.string(), ...topicFields }),
})
