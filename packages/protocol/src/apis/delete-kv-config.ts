import { defineApi, defineHeader, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Removes a key of a namespace; no error when there is none. */
export const deleteKvConfig = defineApi({
  name: 'DELETE_KV_CONFIG',
  code: RequestCode.DELETE_KV_CONFIG,
  request: defineHeader('DeleteKVConfigRequestHeader', { namespace: required.string(), key: required.string() }),
})
