import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Drops the consume queues of topics that don't exist any more. */
export const cleanUnusedTopic = defineApi({
  name: 'CLEAN_UNUSED_TOPIC',
  code: RequestCode.CLEAN_UNUSED_TOPIC,
})
