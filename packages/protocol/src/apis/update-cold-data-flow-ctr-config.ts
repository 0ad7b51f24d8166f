import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Sets how fast groups may read cold data; the body holds `group=threshold` lines. */
export const updateColdDataFlowCtrConfig = defineApi({
  name: 'UPDATE_COLD_DATA_FLOW_CTR_CONFIG',
  code: RequestCode.UPDATE_COLD_DATA_FLOW_CTR_CONFIG,
})
