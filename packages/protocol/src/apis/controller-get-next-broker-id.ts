import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** The id that a new broker of a set should apply for. */
export const controllerGetNextBrokerId = defineApi({
  name: 'CONTROLLER_GET_NEXT_BROKER_ID',
  code: RequestCode.CONTROLLER_GET_NEXT_BROKER_ID,
  request: defineHeader('GetNextBrokerIdRequestHeader', {
    clusterName: optional.string(),
    brokerName: optional.string(),
  }),
  response: defineHeader('GetNextBrokerIdResponseHeader', {
    clusterName: optional.string(),
    brokerName: optional.string(),
    nextBrokerId: optional.int64(),
  }),
})
