import { defineApi, defineHeader, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Stores a key and value in a namespace of the name server. */
export const putKvConfig = defineApi({
  name: 'PUT_KV_CONFIG',
  code: RequestCode.PUT_KV_CONFIG,
  request: defineHeader('PutKVConfigRequestHeader', {
    namespace: required.string(),
    key: required.string(),
    value: required.string(),
  }),
})
