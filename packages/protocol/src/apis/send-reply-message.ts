import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'
import { sendMessage } from './send-message.ts'

/** Stores the reply of a request-reply call and pushes it to the requester; full field names. */
export const sendReplyMessage = defineApi({
  name: 'SEND_REPLY_MESSAGE',
  code: RequestCode.SEND_REPLY_MESSAGE,
  request: sendMessage.request,
  response: sendMessage.response,
})
