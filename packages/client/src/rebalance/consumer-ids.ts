import { getConsumerListByGroup, ResponseCode } from '@rocketmq-ts/protocol'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'

/**
 * Client ids of the group's members as one broker of the topic knows them; empty when it knows none. Rejects with
 * `BROKER_NOT_FOUND`, transport codes, `RESPONSE_ERROR` or `BODY_INVALID`.
 */
export async function consumerIdsOf(instance: ClientInstance, topic: string, group: string): Promise<string[]> {
  let broker = instance.routes.anyBrokerOf(topic)
  if (broker === undefined) {
    await instance.routes.refresh(topic)
    broker = instance.routes.anyBrokerOf(topic)
  }
  if (broker === undefined) {
    throw new RocketMqError('BROKER_NOT_FOUND', `no broker of topic "${topic}" is known`, { details: { topic } })
  }
  const { requestTimeoutMs } = instance.options
  const answer = await instance.rpc.call(
    getConsumerListByGroup,
    broker.address,
    { consumerGroup: group },
    { timeoutMs: requestTimeoutMs, accept: [ResponseCode.SUCCESS, ResponseCode.SYSTEM_ERROR] },
  )
  // Code 1 is how a broker says that the group has no member.
  if (answer.command.code !== ResponseCode.SUCCESS || !answer.body) return []
  return idsOf(answer.body)
}

function idsOf(body: Buffer): string[] {
  try {
    const { consumerIdList } = JSON.parse(body.toString('utf8')) as { consumerIdList?: unknown }
    if (Array.isArray(consumerIdList)) return consumerIdList.filter(id => typeof id === 'string')
    return []
  } catch (cause) {
    throw new RocketMqError('BODY_INVALID', 'the answer to GET_CONSUMER_LIST_BY_GROUP is no JSON', { cause })
  }
}
