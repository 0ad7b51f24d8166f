import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Acknowledges many popped messages; they are named in the body. */
export const batchAckMessage = defineApi({
  name: 'BATCH_ACK_MESSAGE',
  code: RequestCode.BATCH_ACK_MESSAGE,
})
