import { defineApi, defineHeader, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Deletes a topic on one broker. */
export const deleteTopicInBroker = defineApi({
  name: 'DELETE_TOPIC_IN_BROKER',
  code: RequestCode.DELETE_TOPIC_IN_BROKER,
  request: defineHeader('DeleteTopicRequestHeader', { topic: required.string(), ...topicFields }),
})
