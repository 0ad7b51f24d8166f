import { defineApi, defineHeader, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Ids and addresses of the brokers that share a name. */
export const getBrokerMemberGroup = defineApi({
  name: 'GET_BROKER_MEMBER_GROUP',
  code: RequestCode.GET_BROKER_MEMBER_GROUP,
  request: defineHeader('GetBrokerMemberGroupRequestHeader', {
    clusterName: required.string(),
    brokerName: required.string(),
  }),
})
