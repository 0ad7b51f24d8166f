import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Where a topic lives: brokers, queues and permissions. */
export const getRouteinfoByTopic = defineApi({
  name: 'GET_ROUTEINFO_BY_TOPIC',
  code: RequestCode.GET_ROUTEINFO_BY_TOPIC,
  request: defineHeader('GetRouteInfoRequestHeader', {
    topic: required.string(),
    acceptStandardJsonOnly: optional.boolean(),
    ...topicFields,
  }),
})
