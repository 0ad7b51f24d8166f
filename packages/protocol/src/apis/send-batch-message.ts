import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'
import { sendMessage } from './send-message.ts'
import { sendMessageV2 } from './send-message-v2.ts'

/** Stores several messages of one topic at once; the body holds them in batch encoding and field `m` is true. */
export const sendBatchMessage = defineApi({
  name: 'SEND_BATCH_MESSAGE',
  code: RequestCode.SEND_BATCH_MESSAGE,
  request: sendMessageV2.request,
  response: sendMessage.response,
})
