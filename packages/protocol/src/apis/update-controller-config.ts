import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Changes settings of a running controller. */
export const updateControllerConfig = defineApi({
  name: 'UPDATE_CONTROLLER_CONFIG',
  code: RequestCode.UPDATE_CONTROLLER_CONFIG,
})
