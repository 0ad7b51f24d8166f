import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'
import { sendMessage } from './send-message.ts'

/** Stores one message; the same operation as SEND_MESSAGE with one-letter field names. What clients send by default. */
export const sendMessageV2 = defineApi({
  name: 'SEND_MESSAGE_V2',
  code: RequestCode.SEND_MESSAGE_V2,
  request: defineHeader('SendMessageRequestHeaderV2', {
    a: required.string(),
    b: required.string(),
    c: required.string(),
    d: required.int32(),
    e: required.int32(),
    f: required.int32(),
    g: required.int64(),
    h: required.int32(),
    i: optional.string(),
    j: optional.int32(),
    k: optional.boolean(),
    l: optional.int32(),
    m: optional.boolean(),
    n: optional.string(),
    ...topicFields,
  }),
  response: sendMessage.response,
})
