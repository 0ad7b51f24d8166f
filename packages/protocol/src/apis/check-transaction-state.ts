import { defineApi, defineHeader, optional, required, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** A broker asks a producer how a transaction ended; oneway, answered with END_TRANSACTION. */
export const checkTransactionState = defineApi({
  name: 'CHECK_TRANSACTION_STATE',
  code: RequestCode.CHECK_TRANSACTION_STATE,
  request: defineHeader('CheckTransactionStateRequestHeader', {
    topic: optional.string(),
    tranStateTableOffset: required.int64(),
    commitLogOffset: required.int64(),
    msgId: optional.string(),
    transactionId: optional.string(),
    offsetMsgId: optional.string(),
    ...rpcFields,
  }),
})
