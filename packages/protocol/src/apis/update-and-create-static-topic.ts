import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'
import { updateAndCreateTopic } from './update-and-create-topic.ts'

/** Creates or changes a static topic; the body holds the mapping of its queues. */
export const updateAndCreateStaticTopic = defineApi({
  name: 'UPDATE_AND_CREATE_STATIC_TOPIC',
  code: RequestCode.UPDATE_AND_CREATE_STATIC_TOPIC,
  request: updateAndCreateTopic.request,
})
