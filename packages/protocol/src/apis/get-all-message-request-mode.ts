import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** What SET_MESSAGE_REQUEST_MODE has set, for all topics and groups. */
export const getAllMessageRequestMode = defineApi({
  name: 'GET_ALL_MESSAGE_REQUEST_MODE',
  code: RequestCode.GET_ALL_MESSAGE_REQUEST_MODE,
})
