import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'
import { sendMessage } from './send-message.ts'
import { sendMessageV2 } from './send-message-v2.ts'

/** Stores the reply of a request-reply call and pushes it to the requester; one-letter field names. */
export const sendReplyMessageV2 = defineApi({
  name: 'SEND_REPLY_MESSAGE_V2',
  code: RequestCode.SEND_REPLY_MESSAGE_V2,
  request: sendMessageV2.request,
  response: sendMessage.response,
})
