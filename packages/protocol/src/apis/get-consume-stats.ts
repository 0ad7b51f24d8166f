import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** How far a group has come in every queue of its topics. */
export const getConsumeStats = defineApi({
  name: 'GET_CONSUME_STATS',
  code: RequestCode.GET_CONSUME_STATS,
  request: defineHeader('GetConsumeStatsRequestHeader', {
    consumerGroup: required.string(),
    topic: optional.string(),
    topicList: optional.string(),
    ...topicFields,
  }),
})
