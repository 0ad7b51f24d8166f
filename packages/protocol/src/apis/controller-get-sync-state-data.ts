import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** In-sync and other replicas of several broker sets. */
export const controllerGetSyncStateData = defineApi({
  name: 'CONTROLLER_GET_SYNC_STATE_DATA',
  code: RequestCode.CONTROLLER_GET_SYNC_STATE_DATA,
})
