import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The access rules of a subject. */
export const authGetAcl = defineApi({
  name: 'AUTH_GET_ACL',
  code: RequestCode.AUTH_GET_ACL,
  request: defineHeader('GetAclRequestHeader', { subject: optional.string() }),
})
