import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Drops commit log files that have expired, without waiting for the hour. */
export const deleteExpiredCommitlog = defineApi({
  name: 'DELETE_EXPIRED_COMMITLOG',
  code: RequestCode.DELETE_EXPIRED_COMMITLOG,
})
