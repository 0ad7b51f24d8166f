import { defineApi, defineHeader, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** UPDATE_AND_CREATE_TOPIC for several topics, named in the body. */
export const updateAndCreateTopicList = defineApi({
  name: 'UPDATE_AND_CREATE_TOPIC_LIST',
  code: RequestCode.UPDATE_AND_CREATE_TOPIC_LIST,
  request: defineHeader('CreateTopicListRequestHeader', { ...rpcFields }),
})
