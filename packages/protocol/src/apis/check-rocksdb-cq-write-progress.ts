import { defineApi, defineHeader, optional, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Starts a comparison of file and key-value consume queues, and tells how it goes. */
export const checkRocksdbCqWriteProgress = defineApi({
  name: 'CHECK_ROCKSDB_CQ_WRITE_PROGRESS',
  code: RequestCode.CHECK_ROCKSDB_CQ_WRITE_PROGRESS,
  request: defineHeader('CheckRocksdbCqWriteProgressRequestHeader', {
    topic: required.string(),
    checkStoreTime: optional.int64(0),
  }),
})
