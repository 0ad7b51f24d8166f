import {
  type ConsumerConnection,
  consumerConnection,
  getAllProducerInfo,
  getConsumerConnectionList,
  getProducerConnectionList,
  producerConnection,
  producerTableInfo,
  ResponseCode,
} from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { Member } from '../client/consumer-group.ts'
import type { ConsumerGroups } from '../client/consumer-groups.ts'
import type { ProducerGroups } from '../client/producer-groups.ts'

/** Who is online. Source: AdminBrokerProcessor#getConsumerConnectionList and its siblings, 5.3.x */
export function registerConnections(
  router: Router,
  deps: { consumers: ConsumerGroups; producers: ProducerGroups },
): void {
  const { consumers, producers } = deps

  router.handle(getConsumerConnectionList, ({ header }) => {
    const group = consumers.get(header.consumerGroup)
    if (group === undefined) {
      const remark = `the consumer group[${header.consumerGroup}] not online`
      return { code: ResponseCode.CONSUMER_NOT_ONLINE, remark }
    }
    const subscriptionTable = new Map(Array.from(group.subscriptions(), ({ data }) => [data.topic, data]))
    const body = consumerConnection.encode({
      connectionSet: connectionsOf(group.members()),
      subscriptionTable,
      // The words of the heartbeat, which has been checked.
      consumeType: group.consumeType as ConsumerConnection['consumeType'],
      messageModel: group.messageModel as ConsumerConnection['messageModel'],
      consumeFromWhere: group.consumeFromWhere as ConsumerConnection['consumeFromWhere'],
    })
    return { body }
  })

  router.handle(getProducerConnectionList, ({ header }) => {
    const members = producers.membersOf(header.producerGroup)
    if (members !== undefined) return { body: producerConnection.encode({ connectionSet: connectionsOf(members) }) }
    const remark = `the producer group[${header.producerGroup}] not exist`
    return { code: ResponseCode.SYSTEM_ERROR, remark }
  })

  router.handle(getAllProducerInfo, () => {
    const data = new Map(
      Array.from(producers.entries(), ([group, members]) => [
        group,
        Array.from(members, ({ clientId, connection, language, version, lastSeenAtMs }) => ({
          clientId,
          // Java shows the socket address object, whose text begins so.
          remoteIP: `/${connection.remoteAddress}`,
          language,
          version,
          lastUpdateTimestamp: lastSeenAtMs,
        })),
      ]),
    )
    return { body: producerTableInfo.encode({ data }) }
  })
}

function connectionsOf(members: Iterable<Member>) {
  return Array.from(members, ({ clientId, connection, language, version }) => ({
    clientId,
    clientAddr: connection.remoteAddress,
    language,
    version,
  }))
}
