import { defineApi, defineHeader, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Registers a client's producer and consumer groups with a broker and keeps them alive. */
export const heartBeat = defineApi({
  name: 'HEART_BEAT',
  code: RequestCode.HEART_BEAT,
  request: defineHeader('HeartbeatRequestHeader', { ...rpcFields }),
})
