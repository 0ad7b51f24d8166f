import { defineApi, defineHeader, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The topics of one cluster. */
export const getTopicsByCluster = defineApi({
  name: 'GET_TOPICS_BY_CLUSTER',
  code: RequestCode.GET_TOPICS_BY_CLUSTER,
  request: defineHeader('GetTopicsByClusterRequestHeader', { cluster: required.string() }),
})
