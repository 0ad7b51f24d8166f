import { defineApi, defineHeader, required, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** A broker tells a consumer that its group has changed; oneway, rebalance soon. */
export const notifyConsumerIdsChanged = defineApi({
  name: 'NOTIFY_CONSUMER_IDS_CHANGED',
  code: RequestCode.NOTIFY_CONSUMER_IDS_CHANGED,
  request: defineHeader('NotifyConsumerIdsChangedRequestHeader', { consumerGroup: required.string(), ...rpcFields }),
})
