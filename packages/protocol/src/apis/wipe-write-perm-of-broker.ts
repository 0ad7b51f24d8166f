import { defineApi, defineHeader, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Takes the write permission from every topic of a broker until it registers anew. */
export const wipeWritePermOfBroker = defineApi({
  name: 'WIPE_WRITE_PERM_OF_BROKER',
  code: RequestCode.WIPE_WRITE_PERM_OF_BROKER,
  request: defineHeader('WipeWritePermOfBrokerRequestHeader', { brokerName: required.string() }),
  response: defineHeader('WipeWritePermOfBrokerResponseHeader', { wipeTopicCount: required.int32() }),
})
