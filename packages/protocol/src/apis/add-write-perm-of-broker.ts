import { defineApi, defineHeader, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Gives the write permission back to every topic of a broker. */
export const addWritePermOfBroker = defineApi({
  name: 'ADD_WRITE_PERM_OF_BROKER',
  code: RequestCode.ADD_WRITE_PERM_OF_BROKER,
  request: defineHeader('AddWritePermOfBrokerRequestHeader', { brokerName: required.string() }),
  response: defineHeader('AddWritePermOfBrokerResponseHeader', { addTopicCount: required.int32() }),
})
