import { RocketMqError } from '@rocketmq-ts/runtime'

/** What an error says, without its code: the remark that Java gives for the same failure. */
export function reasonOf(error: unknown): string {
  if (RocketMqError.is(error)) return error.message.slice(error.code.length + 2)
  return error instanceof Error ? error.message : String(error)
}

/** The remark of an answer for which Java's handler sets none. Source: RemotingCommand#createResponseCommand, 5.3.x */
export const unsetRemark = 'not set any response code'
