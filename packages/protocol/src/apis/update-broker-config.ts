import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Changes settings of a running broker; the body holds `key=value` lines. */
export const updateBrokerConfig = defineApi({
  name: 'UPDATE_BROKER_CONFIG',
  code: RequestCode.UPDATE_BROKER_CONFIG,
})
