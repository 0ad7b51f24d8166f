import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Creates a topic or replaces its settings. */
export const updateAndCreateTopic = defineApi({
  name: 'UPDATE_AND_CREATE_TOPIC',
  code: RequestCode.UPDATE_AND_CREATE_TOPIC,
  request: defineHeader('CreateTopicRequestHeader', {
    topic: required.string(),
    defaultTopic: required.string(),
    readQueueNums: required.int32(),
    writeQueueNums: required.int32(),
    perm: required.int32(),
    topicFilterType: required.string(),
    topicSysFlag: optional.int32(),
    order: optional.boolean(false),
    attributes: optional.string(),
    force: optional.boolean(false),
    ...topicFields,
  }),
})
