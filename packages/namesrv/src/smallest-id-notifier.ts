import { encodeHeader, notifyMinBrokerIdChange, requestCommand } from '@rocketmq-ts/protocol'
import type { RpcClient } from '@rocketmq-ts/remoting'
import type { Logger } from '@rocketmq-ts/runtime'
import { audienceOf, type SmallestIdChange, smallestId } from './route/broker-set.ts'

/**
 * Tells the members of broker sets that the smallest id has changed, so that a slave starts or stops standing in for its
 * master. Oneway and once: a member that can't be reached finds out by asking. Never throws.
 * Source: RouteInfoManager#notifyMinBrokerIdChanged, 5.3.x.
 */
export function notifySmallestIdChange(client: RpcClient, logger: Logger, change: SmallestIdChange): void {
  const minBrokerId = smallestId(change.addresses)
  if (minBrokerId === undefined) return
  const header = encodeHeader(notifyMinBrokerIdChange.request, {
    minBrokerId,
    minBrokerAddr: change.addresses.get(minBrokerId),
    offlineBrokerAddr: change.offlineBrokerAddr,
    haBrokerAddr: change.haBrokerAddr,
  })
  const audience = audienceOf(change)
  logger.info({ brokerName: change.brokerName, minBrokerId, audience }, 'the smallest broker id has changed')
  for (const address of audience) {
    client.sendOneway(address, requestCommand(notifyMinBrokerIdChange.code, { ...header })).catch((error: unknown) => {
      logger.warn({ err: error, address }, 'a broker could not be told of the new smallest id')
    })
  }
}
