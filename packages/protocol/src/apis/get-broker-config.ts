import { defineApi, defineHeader, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The settings of a broker as `key=value` lines; the header tells their version. */
export const getBrokerConfig = defineApi({
  name: 'GET_BROKER_CONFIG',
  code: RequestCode.GET_BROKER_CONFIG,
  response: defineHeader('GetBrokerConfigResponseHeader', { version: required.string() }),
})
