import { defineApi, defineHeader, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Releases queues locked with LOCK_BATCH_MQ. */
export const unlockBatchMq = defineApi({
  name: 'UNLOCK_BATCH_MQ',
  code: RequestCode.UNLOCK_BATCH_MQ,
  request: defineHeader('UnlockBatchMqRequestHeader', { ...rpcFields }),
})
