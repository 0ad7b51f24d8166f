import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Reads, or sets when `readable` is given, whether a group may read a topic. */
export const updateAndGetGroupForbidden = defineApi({
  name: 'UPDATE_AND_GET_GROUP_FORBIDDEN',
  code: RequestCode.UPDATE_AND_GET_GROUP_FORBIDDEN,
  request: defineHeader('UpdateGroupForbiddenRequestHeader', {
    group: required.string(),
    topic: required.string(),
    readable: optional.boolean(),
    ...topicFields,
  }),
})
