import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'
import { pullMessage } from './pull-message.ts'

/** PULL_MESSAGE of consumers that keep their own offsets; brokers may handle it with other threads or refuse it. */
export const litePullMessage = defineApi({
  name: 'LITE_PULL_MESSAGE',
  code: RequestCode.LITE_PULL_MESSAGE,
  request: pullMessage.request,
  response: pullMessage.response,
})
