import { defineApi, defineHeader, optional, required, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Takes a client out of its producer group, consumer group, or both. */
export const unregisterClient = defineApi({
  name: 'UNREGISTER_CLIENT',
  code: RequestCode.UNREGISTER_CLIENT,
  request: defineHeader('UnregisterClientRequestHeader', {
    clientID: required.string(),
    producerGroup: optional.string(),
    consumerGroup: optional.string(),
    ...rpcFields,
  }),
  response: defineHeader('UnregisterClientResponseHeader', {}),
})
