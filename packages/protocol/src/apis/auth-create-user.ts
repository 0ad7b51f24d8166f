import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Creates a user. */
export const authCreateUser = defineApi({
  name: 'AUTH_CREATE_USER',
  code: RequestCode.AUTH_CREATE_USER,
  request: defineHeader('CreateUserRequestHeader', { username: optional.string() }),
})
