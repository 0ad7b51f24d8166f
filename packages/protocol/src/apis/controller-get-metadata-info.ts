import { defineApi, defineHeader, optional } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Leader and peers of the controller group; every node answers it. */
export const controllerGetMetadataInfo = defineApi({
  name: 'CONTROLLER_GET_METADATA_INFO',
  code: RequestCode.CONTROLLER_GET_METADATA_INFO,
  response: defineHeader('GetMetaDataResponseHeader', {
    group: optional.string(),
    controllerLeaderId: optional.string(),
    controllerLeaderAddress: optional.string(),
    isLeader: optional.boolean(false),
    peers: optional.string(),
  }),
})
