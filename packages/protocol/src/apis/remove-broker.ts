import { defineApi, defineHeader, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Stops a broker inside a container. */
export const removeBroker = defineApi({
  name: 'REMOVE_BROKER',
  code: RequestCode.REMOVE_BROKER,
  request: defineHeader('RemoveBrokerRequestHeader', {
    brokerName: required.string(),
    brokerClusterName: required.string(),
    brokerId: required.int64(),
  }),
})
