import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Asks a broker which queues a client shall consume, and how. */
export const queryAssignment = defineApi({
  name: 'QUERY_ASSIGNMENT',
  code: RequestCode.QUERY_ASSIGNMENT,
})
