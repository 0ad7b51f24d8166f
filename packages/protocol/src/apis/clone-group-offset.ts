import { defineApi, defineHeader, optional, required, rpcFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Copies the offsets of one group to another. */
export const cloneGroupOffset = defineApi({
  name: 'CLONE_GROUP_OFFSET',
  code: RequestCode.CLONE_GROUP_OFFSET,
  request: defineHeader('CloneGroupOffsetRequestHeader', {
    srcGroup: required.string(),
    destGroup: required.string(),
    topic: optional.string(),
    offline: optional.boolean(false),
    ...rpcFields,
  }),
})
