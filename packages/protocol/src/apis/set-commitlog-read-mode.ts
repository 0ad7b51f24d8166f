import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Sets the read-ahead of commit log files, by the ext field `READ_AHEAD_MODE`. */
export const setCommitlogReadMode = defineApi({
  name: 'SET_COMMITLOG_READ_MODE',
  code: RequestCode.SET_COMMITLOG_READ_MODE,
})
