import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Drops consume queue files whose messages are gone. */
export const cleanExpiredConsumequeue = defineApi({
  name: 'CLEAN_EXPIRED_CONSUMEQUEUE',
  code: RequestCode.CLEAN_EXPIRED_CONSUMEQUEUE,
})
