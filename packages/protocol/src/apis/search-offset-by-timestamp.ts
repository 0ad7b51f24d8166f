import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Finds the offset of the first message at or after a time (LOWER), or of the last one at or before it (UPPER). */
export const searchOffsetByTimestamp = defineApi({
  name: 'SEARCH_OFFSET_BY_TIMESTAMP',
  code: RequestCode.SEARCH_OFFSET_BY_TIMESTAMP,
  request: defineHeader('SearchOffsetRequestHeader', {
    topic: required.string(),
    queueId: required.int32(),
    timestamp: required.int64Clamped(),
    boundaryType: optional.enumeration(['LOWER', 'UPPER']),
    ...topicFields,
  }),
  response: defineHeader('SearchOffsetResponseHeader', { offset: required.int64() }),
})
