import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The subscription of a group to a topic, as its clients registered it. */
export const querySubscriptionByConsumer = defineApi({
  name: 'QUERY_SUBSCRIPTION_BY_CONSUMER',
  code: RequestCode.QUERY_SUBSCRIPTION_BY_CONSUMER,
  request: defineHeader('QuerySubscriptionByConsumerRequestHeader', {
    group: required.string(),
    topic: optional.string(),
    ...topicFields,
  }),
})
