import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Removes the threshold of a group; the body is its name. */
export const removeColdDataFlowCtrConfig = defineApi({
  name: 'REMOVE_COLD_DATA_FLOW_CTR_CONFIG',
  code: RequestCode.REMOVE_COLD_DATA_FLOW_CTR_CONFIG,
})
