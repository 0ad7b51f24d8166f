import { defineApi, defineHeader, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Adds the queues of a topic without a broker's registration. */
export const registerTopicInNamesrv = defineApi({
  name: 'REGISTER_TOPIC_IN_NAMESRV',
  code: RequestCode.REGISTER_TOPIC_IN_NAMESRV,
  request: defineHeader('RegisterTopicRequestHeader', { topic: required.string(), ...topicFields }),
})
