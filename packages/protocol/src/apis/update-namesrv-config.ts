import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Changes settings of a running name server; the body holds `key=value` lines. */
export const updateNamesrvConfig = defineApi({
  name: 'UPDATE_NAMESRV_CONFIG',
  code: RequestCode.UPDATE_NAMESRV_CONFIG,
})
