import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Deletes access rules of a subject, all of a policy type or one resource. */
export const authDeleteAcl = defineApi({
  name: 'AUTH_DELETE_ACL',
  code: RequestCode.AUTH_DELETE_ACL,
  request: defineHeader('DeleteAclRequestHeader', {
    subject: optional.string(),
    policyType: optional.string(),
    resource: optional.string(),
  }),
})
