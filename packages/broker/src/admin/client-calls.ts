import { type RemotingCommand, ResponseCode, requestCommand, versionGates, versionName } from '@rocketmq-ts/protocol'
import type { Reply } from '@rocketmq-ts/remoting'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { ConsumerGroups } from '../client/consumer-groups.ts'
import { reasonOf } from '../remarks.ts'

/** How long a client may take to answer what an administrator asks it. */
const clientTimeoutMs = 10_000

/**
 * Passes a request on to one online member of a group and gives its answer back as it is.
 * Source: AdminBrokerProcessor#callConsumer, 5.3.x
 */
export async function callConsumer(
  consumers: ConsumerGroups,
  group: string,
  clientId: string,
  request: RemotingCommand,
): Promise<Reply<never>> {
  const member = consumers.get(group)?.findMember(clientId)
  if (member === undefined) {
    return { code: ResponseCode.SYSTEM_ERROR, remark: `The Consumer <${group}> <${clientId}> not online` }
  }
  if (member.version < versionGates.consumerRunningInfo) {
    const version = versionName(member.version)
    const remark = `The Consumer <${clientId}> Version <${version}> too low to finish, please upgrade it to V3_1_8_SNAPSHOT`
    return { code: ResponseCode.SYSTEM_ERROR, remark }
  }
  try {
    const forwarded = requestCommand(request.code, request.extFields, request.body)
    const answer = await member.connection.call(forwarded, clientTimeoutMs)
    const { code, remark, extFields, body } = answer
    return {
      code,
      remark,
      ...(extFields === undefined ? {} : { ext: extFields }),
      ...(body === undefined ? {} : { body }),
    }
  } catch (error) {
    const isTimeout = RocketMqError.is(error) && error.code === 'REQUEST_TIMEOUT'
    const who = `consumer <${group}> <${clientId}>`
    if (isTimeout) return { code: ResponseCode.CONSUME_MSG_TIMEOUT, remark: `${who} Timeout: ${reasonOf(error)}` }
    return { code: ResponseCode.SYSTEM_ERROR, remark: `invoke ${who} Exception: ${reasonOf(error)}` }
  }
}
