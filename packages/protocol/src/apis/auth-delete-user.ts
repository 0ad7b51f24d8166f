import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Deletes a user. */
export const authDeleteUser = defineApi({
  name: 'AUTH_DELETE_USER',
  code: RequestCode.AUTH_DELETE_USER,
  request: defineHeader('DeleteUserRequestHeader', { username: optional.string() }),
})
