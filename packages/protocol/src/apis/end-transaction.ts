import { defineApi, defineHeader, optional, required, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Commits or rolls back a transaction (`commitOrRollback`: 0 unknown, 8 commit, 12 roll back); mostly oneway. */
export const endTransaction = defineApi({
  name: 'END_TRANSACTION',
  code: RequestCode.END_TRANSACTION,
  request: defineHeader('EndTransactionRequestHeader', {
    topic: optional.string(),
    producerGroup: required.string(),
    tranStateTableOffset: required.int64(),
    commitLogOffset: required.int64(),
    commitOrRollback: required.int32(),
    fromTransactionCheck: optional.boolean(false),
    msgId: required.string(),
    transactionId: optional.string(),
    ...rpcFields,
  }),
  response: defineHeader('EndTransactionResponseHeader', {}),
})
