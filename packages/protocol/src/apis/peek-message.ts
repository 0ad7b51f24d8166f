import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'
import { popMessage } from './pop-message.ts'

/** Reads messages as POP_MESSAGE would, without making them invisible. */
export const peekMessage = defineApi({
  name: 'PEEK_MESSAGE',
  code: RequestCode.PEEK_MESSAGE,
  request: defineHeader('PeekMessageRequestHeader', {
    topic: required.string(),
    queueId: optional.int32(0),
    maxMsgNums: optional.int32(0),
    consumerGroup: required.string(),
    ...topicFields,
  }),
  response: popMessage.response,
})
