import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Changes the given fields of a user. */
export const authUpdateUser = defineApi({
  name: 'AUTH_UPDATE_USER',
  code: RequestCode.AUTH_UPDATE_USER,
  request: defineHeader('UpdateUserRequestHeader', { username: optional.string() }),
})
