import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Removes a topic from the name server, of one cluster when one is named. */
export const deleteTopicInNamesrv = defineApi({
  name: 'DELETE_TOPIC_IN_NAMESRV',
  code: RequestCode.DELETE_TOPIC_IN_NAMESRV,
  request: defineHeader('DeleteTopicFromNamesrvRequestHeader', {
    topic: required.string(),
    clusterName: optional.string(),
    ...topicFields,
  }),
})
