import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Creates the access rules of a subject. */
export const authCreateAcl = defineApi({
  name: 'AUTH_CREATE_ACL',
  code: RequestCode.AUTH_CREATE_ACL,
  request: defineHeader('CreateAclRequestHeader', { subject: optional.string() }),
})
