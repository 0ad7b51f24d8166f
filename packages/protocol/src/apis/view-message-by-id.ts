import { defineApi, defineHeader, optional, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Reads the message at a physical offset of the commit log. */
export const viewMessageById = defineApi({
  name: 'VIEW_MESSAGE_BY_ID',
  code: RequestCode.VIEW_MESSAGE_BY_ID,
  request: defineHeader('ViewMessageRequestHeader', { topic: optional.string(), offset: required.int64Clamped() }),
  response: defineHeader('ViewMessageResponseHeader', {}),
})
