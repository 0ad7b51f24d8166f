import { defineApi } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Moves the state of pops from the key-value store back to the file store. */
export const popRollback = defineApi({
  name: 'POP_ROLLBACK',
  code: RequestCode.POP_ROLLBACK,
})
