import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Offsets to correct a group with, from those of the groups named. */
export const queryCorrectionOffset = defineApi({
  name: 'QUERY_CORRECTION_OFFSET',
  code: RequestCode.QUERY_CORRECTION_OFFSET,
  request: defineHeader('QueryCorrectionOffsetHeader', {
    filterGroups: optional.string(),
    compareGroup: required.string(),
    topic: required.string(),
    ...topicFields,
  }),
})
