import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Thresholds and counts of cold reads. */
export const getColdDataFlowCtrInfo = defineApi({
  name: 'GET_COLD_DATA_FLOW_CTR_INFO',
  code: RequestCode.GET_COLD_DATA_FLOW_CTR_INFO,
})
