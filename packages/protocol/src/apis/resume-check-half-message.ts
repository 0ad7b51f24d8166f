import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Puts a half message back whose checks had been given up. */
export const resumeCheckHalfMessage = defineApi({
  name: 'RESUME_CHECK_HALF_MESSAGE',
  code: RequestCode.RESUME_CHECK_HALF_MESSAGE,
  request: defineHeader('ResumeCheckHalfMessageRequestHeader', { topic: optional.string(), msgId: optional.string() }),
})
