import { defineApi, defineHeader, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Locks queues for one consumer of an ordered group; the body names them, the answer those that were locked. */
export const lockBatchMq = defineApi({
  name: 'LOCK_BATCH_MQ',
  code: RequestCode.LOCK_BATCH_MQ,
  request: defineHeader('LockBatchMqRequestHeader', { ...rpcFields }),
})
