import { defineApi, defineHeader, optional, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Removes brokers from the controller's records. */
export const cleanBrokerData = defineApi({
  name: 'CLEAN_BROKER_DATA',
  code: RequestCode.CLEAN_BROKER_DATA,
  request: defineHeader('CleanControllerBrokerDataRequestHeader', {
    clusterName: optional.string(),
    brokerName: required.string(),
    brokerControllerIdsToClean: optional.string(),
    isCleanLivingBroker: optional.boolean(false),
    invokeTime: optional.int64(),
  }),
})
