import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Access rules by parts of subject and resource. */
export const authListAcl = defineApi({
  name: 'AUTH_LIST_ACL',
  code: RequestCode.AUTH_LIST_ACL,
  request: defineHeader('ListAclsRequestHeader', {
    subjectFilter: optional.string(),
    resourceFilter: optional.string(),
  }),
})
