import { type MessageQueue, perm } from '@rocketmq-ts/model'
import type { TopicRouteData } from '@rocketmq-ts/protocol'

/** Where messages of one topic can be sent. `queues` may be empty: the topic exists, and nothing takes messages now. */
export interface TopicPublishInfo {
  readonly topic: string
  /** The route comes from an order configuration: its queues are fixed. */
  readonly isOrderTopic: boolean
  readonly queues: readonly MessageQueue[]
  /** Made of the default topic's route: the topic doesn't exist yet. */
  readonly isBorrowed: boolean
  /** Index for round robin; starts at random and only grows (wraps at 2^31). */
  nextIndex: number
}

const logicalBrokerPrefix = '__syslo__'
const noneBroker = '__syslo__none__'

/**
 * Queues a producer may use: those of the order configuration, or the logical ones of a static topic, or, by broker name,
 * all write queues of brokers that have a master.
 * Source: MQClientInstance#topicRouteData2TopicPublishInfo, 5.3.x
 */
export function publishQueuesOf(
  topic: string,
  route: TopicRouteData,
): { queues: MessageQueue[]; isOrderTopic: boolean } {
  if (route.orderTopicConf) return { queues: orderedQueues(topic, route.orderTopicConf), isOrderTopic: true }
  const mapped = staticTopicEndpoints(topic, route)
  if (mapped.size > 0) return { queues: [...mapped.values()].map(endpoint => endpoint.queue), isOrderTopic: false }
  const queues: MessageQueue[] = []
  for (const data of byBrokerName(route.queueDatas)) {
    if ((data.perm & perm.write) === 0 || masterOf(route, data.brokerName) === undefined) continue
    for (let queueId = 0; queueId < data.writeQueueNums; queueId++) {
      queues.push({ topic, brokerName: data.brokerName, queueId })
    }
  }
  return { queues, isOrderTopic: false }
}

/**
 * Queues a consumer may read: readable ones of every broker, also of those without a master.
 * Source: MQClientInstance#topicRouteData2TopicSubscribeInfo, 5.3.x
 */
export function subscribeQueuesOf(topic: string, route: TopicRouteData): MessageQueue[] {
  const mapped = staticTopicEndpoints(topic, route)
  if (mapped.size > 0) return [...mapped.values()].map(endpoint => endpoint.queue)
  const queues: MessageQueue[] = []
  for (const data of byBrokerName(route.queueDatas)) {
    if ((data.perm & perm.read) === 0) continue
    for (let queueId = 0; queueId < data.readQueueNums; queueId++) {
      queues.push({ topic, brokerName: data.brokerName, queueId })
    }
  }
  return queues
}

function byBrokerName<T extends { brokerName: string }>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => (a.brokerName < b.brokerName ? -1 : a.brokerName > b.brokerName ? 1 : 0))
}

function masterOf(route: TopicRouteData, brokerName: string): string | undefined {
  for (const broker of route.brokerDatas) {
    if (broker.brokerName === brokerName) return broker.brokerAddrs.get(0)
  }
  return undefined
}

function orderedQueues(topic: string, orderTopicConf: string): MessageQueue[] {
  const queues: MessageQueue[] = []
  for (const part of orderTopicConf.split(';')) {
    const separator = part.lastIndexOf(':')
    if (separator < 1) continue
    const count = Number(part.slice(separator + 1))
    if (!Number.isInteger(count)) continue
    for (let queueId = 0; queueId < count; queueId++)
      queues.push({ topic, brokerName: part.slice(0, separator), queueId })
  }
  return queues
}

/** One logical queue of a static topic, and the broker that holds it now. */
export interface StaticTopicEndpoint {
  readonly queue: MessageQueue
  readonly brokerName: string
}

/**
 * Logical queues of a static topic, in order of scope and id; the mapping with the newest epoch names the holder. A queue
 * without holder belongs to `__syslo__none__`, which no route knows. Empty for other topics.
 * Source: MQClientInstance#topicRouteData2EndpointsForStaticTopic, 5.3.x
 */
export function staticTopicEndpoints(topic: string, route: TopicRouteData): Map<string, StaticTopicEndpoint> {
  const endpoints = new Map<string, StaticTopicEndpoint>()
  const mappings = [...(route.topicQueueMappingByBroker?.values() ?? [])]
  const scopes = [...new Set(mappings.map(mapping => mapping.scope))].sort()
  for (const scope of scopes) {
    const ofScope = mappings.filter(mapping => mapping.scope === scope).sort((a, b) => b.epoch - a.epoch)
    const totalQueues = Math.max(...ofScope.map(mapping => mapping.totalQueues))
    const brokerName = logicalBrokerPrefix + (scope === '__global__' ? scope.slice(2) : scope)
    for (let queueId = 0; queueId < totalQueues; queueId++) {
      const holder = ofScope.find(mapping => mapping.totalQueues === totalQueues && mapping.currIdMap.has(queueId))
      endpoints.set(`${brokerName}/${queueId}`, {
        queue: { topic, brokerName, queueId },
        brokerName: holder?.bname ?? noneBroker,
      })
    }
  }
  return endpoints
}
