import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Changes the access rules of a subject. */
export const authUpdateAcl = defineApi({
  name: 'AUTH_UPDATE_ACL',
  code: RequestCode.AUTH_UPDATE_ACL,
  request: defineHeader('UpdateAclRequestHeader', { subject: optional.string() }),
})
