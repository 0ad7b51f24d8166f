import { defineApi, defineHeader, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** A broker takes leave of a name server. */
export const unregisterBroker = defineApi({
  name: 'UNREGISTER_BROKER',
  code: RequestCode.UNREGISTER_BROKER,
  request: defineHeader('UnRegisterBrokerRequestHeader', {
    brokerName: required.string(),
    brokerAddr: required.string(),
    clusterName: required.string(),
    brokerId: required.int64(),
  }),
})
