import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Tells how many pops are parked for a queue. */
export const pollingInfo = defineApi({
  name: 'POLLING_INFO',
  code: RequestCode.POLLING_INFO,
  request: defineHeader('PollingInfoRequestHeader', {
    consumerGroup: required.string(),
    topic: required.string(),
    queueId: optional.int32(0),
    ...topicFields,
  }),
  response: defineHeader('PollingInfoResponseHeader', { pollingNum: optional.int32(0) }),
})
