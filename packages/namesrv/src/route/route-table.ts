import { perm } from '@rocketmq-ts/model'
import type { QueueData, TopicQueueMappingInfo } from '@rocketmq-ts/protocol'
import { BrokerLiveness } from '../broker-liveness.ts'
import { type BrokerSet, smallestId } from './broker-set.ts'

/**
 * What the name server knows; nobody else keeps it, and it is gone with the process: brokers register again. The functions
 * of this folder read and change it. Pure: no clock, no sockets.
 *
 * ```text
 * clusters  cluster ─► names          topics    topic ─► broker name ─► queues
 * brokers   name ─► id ─► address     mappings  topic ─► broker name ─► static queues
 * alive     (cluster, address) ─► last sign of life, data version, connection
 * ```
 *
 * Source: RouteInfoManager, 5.3.x.
 */
export class RouteTable<C> {
  readonly topics: Map<string, Map<string, QueueData>> = new Map()
  readonly brokers = new Map<string, BrokerSet>()
  readonly clusters = new Map<string, Set<string>>()
  readonly mappings: Map<string, Map<string, TopicQueueMappingInfo>> = new Map()
  /** Filter servers by broker address; brokers of today have none. */
  readonly filterServers = new Map<string, readonly string[]>()
  readonly alive = new BrokerLiveness<C>()
  /** Counts the changes that a route may show. */
  revision = 0

  /** Sets the queues of a topic on a broker set. */
  putQueues(topic: string, queues: QueueData): void {
    const byBroker = this.topics.get(topic)
    if (byBroker === undefined) this.topics.set(topic, new Map([[queues.brokerName, queues]]))
    else byBroker.set(queues.brokerName, queues)
    this.revision++
  }

  /** Takes a topic from a broker set; a topic without any queues is gone, with its static queues. */
  removeQueues(topic: string, brokerName: string): void {
    const byBroker = this.topics.get(topic)
    if (byBroker === undefined || !byBroker.delete(brokerName)) return
    if (byBroker.size === 0) this.removeTopic(topic)
    this.revision++
  }

  removeTopic(topic: string): void {
    this.topics.delete(topic)
    this.mappings.delete(topic)
    this.revision++
  }

  /** The topics that a broker set has. */
  topicsOf(brokerName: string): string[] {
    return [...this.topics].filter(([, byBroker]) => byBroker.has(brokerName)).map(([topic]) => topic)
  }

  /** Gives every topic of a broker set the permission that `change` makes of the present one; returns how many it has. */
  changePermissions(brokerName: string, change: (present: number) => number): number {
    let count = 0
    for (const byBroker of this.topics.values()) {
      const queues = byBroker.get(brokerName)
      if (queues === undefined) continue
      byBroker.set(brokerName, { ...queues, perm: change(queues.perm) })
      count++
    }
    this.revision++
    return count
  }

  /** True when a broker set has nobody with id 0. */
  hasNoMaster(brokerName: string): boolean {
    const set = this.brokers.get(brokerName)
    return set === undefined || smallestId(set.addresses) !== 0
  }
}

/** Takes the write permission away until the broker registers changed topics; returns how many topics it has. */
export function wipeWritePermission<C>(table: RouteTable<C>, brokerName: string): number {
  return table.changePermissions(brokerName, withoutWrite)
}

/** Sets the permission of every topic to read and write; returns how many topics the broker has. */
export function addWritePermission<C>(table: RouteTable<C>, brokerName: string): number {
  return table.changePermissions(brokerName, () => perm.read | perm.write)
}

/** `permission` without the write bit. */
export function withoutWrite(permission: number): number {
  return permission & ~perm.write
}

/**
 * Adds the queues of a topic without a broker's registration, up to the first of a broker that is not known; a topic that
 * is new and names such a broker is not added at all. Source: RouteInfoManager#registerTopic, 5.3.x.
 */
export function registerTopic<C>(table: RouteTable<C>, topic: string, queues: readonly QueueData[]): void {
  const isNew = !table.topics.has(topic)
  const unknown = queues.findIndex(({ brokerName }) => !table.brokers.has(brokerName))
  if (unknown >= 0 && isNew) return
  for (const data of unknown < 0 ? queues : queues.slice(0, unknown)) table.putQueues(topic, data)
}

/** Removes a topic everywhere, or from the brokers of one cluster. */
export function deleteTopic<C>(table: RouteTable<C>, topic: string, clusterName?: string): void {
  if (clusterName === undefined || clusterName === '') {
    table.removeTopic(topic)
    return
  }
  for (const brokerName of table.clusters.get(clusterName) ?? []) table.removeQueues(topic, brokerName)
}
