import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'
import { invokeBrokerToResetOffset } from './invoke-broker-to-reset-offset.ts'

/** A broker tells a consumer to move its offsets; oneway. */
export const resetConsumerClientOffset = defineApi({
  name: 'RESET_CONSUMER_CLIENT_OFFSET',
  code: RequestCode.RESET_CONSUMER_CLIENT_OFFSET,
  request: invokeBrokerToResetOffset.request,
})
