import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Lets a broker check a subscription that is not by tags; 23 with the parser's text when it doesn't parse. */
export const checkClientConfig = defineApi({
  name: 'CHECK_CLIENT_CONFIG',
  code: RequestCode.CHECK_CLIENT_CONFIG,
})
