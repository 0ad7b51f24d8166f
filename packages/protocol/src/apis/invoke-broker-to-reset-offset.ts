import { defineApi, defineHeader, optional, required, topicFields } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Moves the offsets of a group on the broker's side. */
export const invokeBrokerToResetOffset = defineApi({
  name: 'INVOKE_BROKER_TO_RESET_OFFSET',
  code: RequestCode.INVOKE_BROKER_TO_RESET_OFFSET,
  request: defineHeader('ResetOffsetRequestHeader', {
    group: required.string(),
    topic: required.string(),
    queueId: optional.int32(-1),
    offset: optional.int64Clamped(),
    timestamp: optional.int64Clamped(0),
    isForce: optional.boolean(false),
    ...topicFields,
  }),
})
