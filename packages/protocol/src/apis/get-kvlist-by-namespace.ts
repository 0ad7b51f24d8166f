import { defineApi, defineHeader, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** All keys of a namespace; 22 when there are none. */
export const getKvlistByNamespace = defineApi({
  name: 'GET_KVLIST_BY_NAMESPACE',
  code: RequestCode.GET_KVLIST_BY_NAMESPACE,
  request: defineHeader('GetKVListByNamespaceRequestHeader', { namespace: required.string() }),
})
