import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'
import { invokeBrokerToGetConsumerStatus } from './invoke-broker-to-get-consumer-status.ts'

/** A broker asks a consumer for the offsets that it holds in memory. */
export const getConsumerStatusFromClient = defineApi({
  name: 'GET_CONSUMER_STATUS_FROM_CLIENT',
  code: RequestCode.GET_CONSUMER_STATUS_FROM_CLIENT,
  request: invokeBrokerToGetConsumerStatus.request,
})
