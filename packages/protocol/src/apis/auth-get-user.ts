import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** One user. */
export const authGetUser = defineApi({
  name: 'AUTH_GET_USER',
  code: RequestCode.AUTH_GET_USER,
  request: defineHeader('GetUserRequestHeader', { username: optional.string() }),
})
