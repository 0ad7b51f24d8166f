import { perm, syncBrokerMemberTopic } from '@rocketmq-ts/model'
import type { BrokerData, QueueData, TopicRouteData } from '@rocketmq-ts/protocol'
import { brokerDataOf, MASTER_ID, smallestId } from './broker-set.ts'
import type { RouteTable } from './route-table.ts'

/** Topics by which the members of a broker set find each other: here a slave must not pose as the master. */
const SYNC_MEMBER_TOPIC_PREFIX = syncBrokerMemberTopic('')

/**
 * Where a topic lives; undefined when no known broker has it. With `supportActingMaster` a slave that stands in for its
 * master is shown under id 0. Source: RouteInfoManager#pickupTopicRouteData, 5.3.x.
 */
export function topicRouteOf<C>(
  table: RouteTable<C>,
  topic: string,
  options: { readonly supportActingMaster: boolean },
): TopicRouteData | undefined {
  const byBroker = table.topics.get(topic)
  if (byBroker === undefined) return undefined
  const showsActingMaster = options.supportActingMaster && !topic.startsWith(SYNC_MEMBER_TOPIC_PREFIX)
  const brokerDatas: BrokerData[] = []
  for (const [brokerName, queues] of byBroker) {
    const set = table.brokers.get(brokerName)
    if (set === undefined) continue
    const data = brokerDataOf(set)
    brokerDatas.push(showsActingMaster ? withActingMaster(data, queues) : data)
  }
  if (brokerDatas.length === 0) return undefined
  const topicQueueMappingByBroker = table.mappings.get(topic)
  return {
    queueDatas: [...byBroker.values()],
    brokerDatas,
    filterServerTable: filterServersOf(table, brokerDatas),
    ...(topicQueueMappingByBroker === undefined ? {} : { topicQueueMappingByBroker }),
  }
}

/** Only where nobody can write any more is it safe to call a slave the master. */
function withActingMaster(data: BrokerData, queues: QueueData): BrokerData {
  const smallest = smallestId(data.brokerAddrs)
  const isWritable = (queues.perm & perm.write) !== 0
  if (!data.enableActingMaster || smallest === undefined || smallest === MASTER_ID || isWritable) return data
  const shown = [...data.brokerAddrs].map(([id, address]) => [id === smallest ? MASTER_ID : id, address] as const)
  return { ...data, brokerAddrs: new Map(shown) }
}

function filterServersOf<C>(table: RouteTable<C>, brokers: readonly BrokerData[]): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  if (table.filterServers.size === 0) return found
  for (const address of brokers.flatMap(({ brokerAddrs }) => [...brokerAddrs.values()])) {
    const servers = table.filterServers.get(address)
    if (servers !== undefined) found.set(address, servers)
  }
  return found
}

/**
 * The route as a client in `zoneName` shall see it: brokers of other zones are left out, except those without a master,
 * from whose slaves everybody may read. Source: ZoneRouteRPCHook#filterByZoneName, 5.3.x.
 */
export function routeInZone(route: TopicRouteData, zoneName: string): TopicRouteData {
  const zone = zoneName.toLowerCase()
  const isNear = (broker: BrokerData) => !broker.brokerAddrs.has(MASTER_ID) || broker.zoneName?.toLowerCase() === zone
  const far = route.brokerDatas.filter(broker => !isNear(broker))
  const farNames = new Set(far.map(({ brokerName }) => brokerName))
  const farAddresses = new Set(far.flatMap(({ brokerAddrs }) => [...brokerAddrs.values()]))
  return {
    ...route,
    brokerDatas: route.brokerDatas.filter(isNear),
    queueDatas: route.queueDatas.filter(({ brokerName }) => !farNames.has(brokerName)),
    filterServerTable: new Map([...route.filterServerTable].filter(([address]) => !farAddresses.has(address))),
  }
}
