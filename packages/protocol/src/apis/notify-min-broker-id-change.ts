import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** A name server tells a broker set that its smallest id has changed; oneway. */
export const notifyMinBrokerIdChange = defineApi({
  name: 'NOTIFY_MIN_BROKER_ID_CHANGE',
  code: RequestCode.NOTIFY_MIN_BROKER_ID_CHANGE,
  request: defineHeader('NotifyMinBrokerIdChangeRequestHeader', {
    minBrokerId: optional.int64(),
    brokerName: optional.string(),
    minBrokerAddr: optional.string(),
    offlineBrokerAddr: optional.string(),
    haBrokerAddr: optional.string(),
  }),
})
