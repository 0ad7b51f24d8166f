import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Starts a broker inside a container. */
export const addBroker = defineApi({
  name: 'ADD_BROKER',
  code: RequestCode.ADD_BROKER,
  request: defineHeader('AddBrokerRequestHeader', { configPath: optional.string() }),
})
