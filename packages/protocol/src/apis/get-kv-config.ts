import { defineApi, defineHeader, optional, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Reads a key of a namespace; 22 when there is none. */
export const getKvConfig = defineApi({
  name: 'GET_KV_CONFIG',
  code: RequestCode.GET_KV_CONFIG,
  request: defineHeader('GetKVConfigRequestHeader', { namespace: required.string(), key: required.string() }),
  response: defineHeader('GetKVConfigResponseHeader', { value: optional.string() }),
})
