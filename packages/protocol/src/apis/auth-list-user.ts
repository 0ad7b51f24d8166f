import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Users whose name contains a text. */
export const authListUser = defineApi({
  name: 'AUTH_LIST_USER',
  code: RequestCode.AUTH_LIST_USER,
  request: defineHeader('ListUsersRequestHeader', { filter: optional.string() }),
})
