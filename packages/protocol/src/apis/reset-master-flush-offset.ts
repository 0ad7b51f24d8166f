import { defineApi, defineHeader, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** A new master tells how far a broker has to flush. */
export const resetMasterFlushOffset = defineApi({
  name: 'RESET_MASTER_FLUSH_OFFSET',
  code: RequestCode.RESET_MASTER_FLUSH_OFFSET,
  request: defineHeader('ResetMasterFlushOffsetHeader', { masterFlushOffset: required.int64() }),
})
