import { defineApi, defineHeader, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Store times of the first, last and next message per queue of a topic for a group. */
export const queryConsumeTimeSpan = defineApi({
  name: 'QUERY_CONSUME_TIME_SPAN',
  code: RequestCode.QUERY_CONSUME_TIME_SPAN,
  request: defineHeader('QueryConsumeTimeSpanRequestHeader', {
    topic: required.string(),
    group: required.string(),
    ...topicFields,
  }),
})
