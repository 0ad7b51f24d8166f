import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The settings of a name server as `key=value` lines. */
export const getNamesrvConfig = defineApi({
  name: 'GET_NAMESRV_CONFIG',
  code: RequestCode.GET_NAMESRV_CONFIG,
})
