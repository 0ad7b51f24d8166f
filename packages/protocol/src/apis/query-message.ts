import { defineApi, defineHeader, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Finds messages by key, or by unique key when the ext field `_UNIQUE_KEY_QUERY` is "true". */
export const queryMessage = defineApi({
  name: 'QUERY_MESSAGE',
  code: RequestCode.QUERY_MESSAGE,
  request: defineHeader('QueryMessageRequestHeader', {
    topic: required.string(),
    key: required.string(),
    maxNum: required.int32(),
    beginTimestamp: required.int64Clamped(),
    endTimestamp: required.int64Clamped(),
    ...topicFields,
  }),
  response: defineHeader('QueryMessageResponseHeader', {
    indexLastUpdateTimestamp: required.int64(),
    indexLastUpdatePhyoffset: required.int64(),
  }),
})
