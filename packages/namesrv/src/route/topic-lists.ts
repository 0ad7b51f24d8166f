import { topicSysFlag } from '@rocketmq-ts/model'
import type { BrokerMemberGroup, ClusterInfo, TopicList } from '@rocketmq-ts/protocol'
import { brokerDataOf } from './broker-set.ts'
import type { RouteTable } from './route-table.ts'

/** All topics. */
export function allTopics<C>(table: RouteTable<C>): TopicList {
  return { topicList: [...table.topics.keys()] }
}

/** The topics of the brokers of a cluster; none for an unknown cluster. */
export function topicsOfCluster<C>(table: RouteTable<C>, clusterName: string): TopicList {
  const names = table.clusters.get(clusterName)
  if (names === undefined) return { topicList: [] }
  const isThere = (byBroker: ReadonlyMap<string, unknown>) => [...byBroker.keys()].some(name => names.has(name))
  return { topicList: [...table.topics].filter(([, byBroker]) => isThere(byBroker)).map(([topic]) => topic) }
}

/** Names of clusters and brokers, which exist as topics, and the address of some broker. */
export function systemTopics<C>(table: RouteTable<C>): TopicList {
  const topicList = [...new Set([...table.clusters].flatMap(([cluster, names]) => [cluster, ...names]))]
  const [someSet] = table.brokers.values()
  const [brokerAddr] = someSet?.addresses.values() ?? []
  return brokerAddr === undefined ? { topicList } : { topicList, brokerAddr }
}

/** Topics whose system flag, of whichever broker comes first, has all bits of `set` and none of `clear`. */
function topicsWithFlag<C>(table: RouteTable<C>, set: number, clear = 0): TopicList {
  const topicList: string[] = []
  for (const [topic, byBroker] of table.topics) {
    const [first] = byBroker.values()
    if (first !== undefined && (first.topicSysFlag & (set | clear)) === set) topicList.push(topic)
  }
  return { topicList }
}

/** Topics that belong to a unit. */
export function unitTopics<C>(table: RouteTable<C>): TopicList {
  return topicsWithFlag(table, topicSysFlag.unit)
}

/** Topics with subscriptions from units. */
export function unitSubscribedTopics<C>(table: RouteTable<C>): TopicList {
  return topicsWithFlag(table, topicSysFlag.unitSubscription)
}

/** Topics with subscriptions from units that don't belong to one. */
export function unitSubscribedForeignTopics<C>(table: RouteTable<C>): TopicList {
  return topicsWithFlag(table, topicSysFlag.unitSubscription, topicSysFlag.unit)
}

/** All broker sets and clusters. */
export function clusterInfoOf<C>(table: RouteTable<C>): ClusterInfo {
  return {
    brokerAddrTable: new Map([...table.brokers].map(([name, set]) => [name, brokerDataOf(set)])),
    clusterAddrTable: new Map([...table.clusters].map(([cluster, names]) => [cluster, [...names]])),
  }
}

/** The members of a broker set; none for an unknown one. */
export function membersOf<C>(table: RouteTable<C>, cluster: string, brokerName: string): BrokerMemberGroup {
  return { cluster, brokerName, brokerAddrs: new Map(table.brokers.get(brokerName)?.addresses) }
}
