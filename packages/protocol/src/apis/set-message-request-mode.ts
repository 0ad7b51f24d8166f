import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Sets for a group and topic whether QUERY_ASSIGNMENT says PULL or POP. */
export const setMessageRequestMode = defineApi({
  name: 'SET_MESSAGE_REQUEST_MODE',
  code: RequestCode.SET_MESSAGE_REQUEST_MODE,
})
