import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The settings of a controller. */
export const getControllerConfig = defineApi({
  name: 'GET_CONTROLLER_CONFIG',
  code: RequestCode.GET_CONTROLLER_CONFIG,
})
