import { type DataVersion, dataVersionsEqual, type TopicConfig } from '@rocketmq-ts/model'
import type { QueueData, TopicQueueMappingInfo } from '@rocketmq-ts/protocol'
import { type BrokerSet, MASTER_ID, type SmallestIdChange, smallestId } from './broker-set.ts'
import { type RouteTable, withoutWrite } from './route-table.ts'

/** How long a broker that doesn't say so may be silent. */
export const BROKER_TIMEOUT_MS = 120_000

/** What a broker says of itself. */
export interface BrokerRegistration<C> {
  readonly clusterName: string
  readonly brokerAddr: string
  readonly brokerName: string
  readonly brokerId: number
  readonly haServerAddr: string
  readonly zoneName: string | undefined
  readonly timeoutMs: number | undefined
  /** Undefined: a broker of before 5.0, whose slaves never register topics. */
  readonly enableActingMaster: boolean | undefined
  readonly dataVersion: DataVersion
  readonly topics: ReadonlyMap<string, TopicConfig>
  readonly mappings: ReadonlyMap<string, TopicQueueMappingInfo>
  /** Undefined: not spoken of. */
  readonly filterServers: readonly string[] | undefined
  readonly connection: C
}

/** What comes of a registration. */
export type RegistrationResult =
  /** One topic of a broker that has not told all of them yet. Nothing has changed. */
  | { readonly status: 'refused' }
  /** The id belongs to another address with a newer state. The broker isn't told. */
  | { readonly status: 'ignored' }
  | {
      readonly status: 'registered'
      /** For a slave: where its master is, and where it gets its copy. */
      readonly masterAddr: string | undefined
      readonly haServerAddr: string | undefined
      readonly smallestIdChange: SmallestIdChange | undefined
    }

/**
 * Takes in a broker with its topics. Source: RouteInfoManager#registerBroker, 5.3.x; unlike there, a refused registration
 * leaves no empty broker behind.
 */
export function registerBroker<C>(
  table: RouteTable<C>,
  registration: BrokerRegistration<C>,
  nowMs: number,
  options: { readonly deleteTopicWithBrokerRegistration: boolean },
): RegistrationResult {
  const { clusterName, brokerName, brokerAddr, brokerId } = registration
  const known = table.brokers.get(brokerName)
  if (isOutdated(table, registration, known)) {
    table.alive.remove(clusterName, brokerAddr)
    return { status: 'ignored' }
  }
  const oldAddress = known?.addresses.get(brokerId)
  if (oldAddress === undefined && registration.topics.size === 1) return { status: 'refused' }

  const set = known ?? newBrokerSet(table, registration)
  // A broker set stays in the cluster that it was first seen in, and its name is listed in any that it claims.
  addName(table.clusters, clusterName, brokerName)
  const previousSmallestId = smallestId(set.addresses) ?? MASTER_ID
  adopt(table, set, registration)
  const isFirst = known === undefined || oldAddress === undefined
  takeTopics(table, set, registration, isFirst, options.deleteTopicWithBrokerRegistration)
  keepAlive(table, registration, nowMs)
  const master = masterFor(table, set, registration)
  const haBrokerAddr = registration.haServerAddr
  return {
    status: 'registered',
    masterAddr: master?.brokerAddr,
    haServerAddr: master?.haServerAddr,
    smallestIdChange:
      brokerId < previousSmallestId
        ? { brokerName, addresses: new Map(set.addresses), offlineBrokerAddr: undefined, haBrokerAddr }
        : undefined,
  }
}

/** Whether the name server's idea of a broker's topics differs from `dataVersion`; true for a broker it doesn't know. */
export function isBrokerChanged<C>(
  table: RouteTable<C>,
  clusterName: string,
  brokerAddr: string,
  dataVersion: DataVersion | undefined,
): boolean {
  const known = table.alive.get(clusterName, brokerAddr)
  return known === undefined || dataVersion === undefined || !dataVersionsEqual(known.dataVersion, dataVersion)
}

/** Whether the id is held by another, living address with a newer state. */
function isOutdated<C>(
  table: RouteTable<C>,
  registration: BrokerRegistration<C>,
  known: BrokerSet | undefined,
): boolean {
  const holder = known?.addresses.get(registration.brokerId)
  if (holder === undefined || holder === registration.brokerAddr) return false
  const live = table.alive.get(registration.clusterName, holder)
  return live !== undefined && live.dataVersion.stateVersion > registration.dataVersion.stateVersion
}

function newBrokerSet<C>(table: RouteTable<C>, { clusterName, brokerName }: BrokerRegistration<C>): BrokerSet {
  const set = { cluster: clusterName, brokerName, zoneName: undefined, enableActingMaster: false, addresses: new Map() }
  table.brokers.set(brokerName, set)
  return set
}

function addName(clusters: Map<string, Set<string>>, clusterName: string, brokerName: string): void {
  const names = clusters.get(clusterName)
  if (names === undefined) clusters.set(clusterName, new Set([brokerName]))
  else names.add(brokerName)
}

/** Puts address and traits into the set. One address has one id: a slave that becomes master leaves its old one. */
function adopt<C>(table: RouteTable<C>, set: BrokerSet, registration: BrokerRegistration<C>): void {
  const { brokerAddr, brokerId, zoneName, enableActingMaster = false } = registration
  const isSame = set.zoneName === zoneName && set.enableActingMaster === enableActingMaster
  if (!isSame || set.addresses.get(brokerId) !== brokerAddr) table.revision++
  set.zoneName = zoneName
  set.enableActingMaster = enableActingMaster
  for (const [id, address] of set.addresses) {
    if (address !== brokerAddr || id === brokerId) continue
    set.addresses.delete(id)
    table.revision++
  }
  set.addresses.set(brokerId, brokerAddr)
}

/** Topics come from the master, or from the slave that stands in for it: then nobody may write to them. */
function takeTopics<C>(
  table: RouteTable<C>,
  set: BrokerSet,
  registration: BrokerRegistration<C>,
  isFirst: boolean,
  dropsOthers: boolean,
): void {
  const { brokerId, brokerName, topics, mappings } = registration
  const isMaster = brokerId === MASTER_ID
  const isPrimeSlave =
    !isMaster && registration.enableActingMaster !== undefined && brokerId === smallestId(set.addresses)
  if (!isMaster && !isPrimeSlave) return

  if (dropsOthers && mappings.size === 0) {
    for (const topic of table.topicsOf(brokerName)) if (!topics.has(topic)) table.removeQueues(topic, brokerName)
  }
  const isChanged =
    isFirst || isBrokerChanged(table, registration.clusterName, registration.brokerAddr, registration.dataVersion)
  for (const topic of topics.values()) {
    if (!isChanged && table.topics.get(topic.topicName)?.has(brokerName)) continue
    putIfDifferent(table, topic.topicName, queuesOf(brokerName, topic, isPrimeSlave && set.enableActingMaster))
  }
  for (const [topic, mapping] of mappings) {
    const byBroker = table.mappings.get(topic)
    if (!isChanged && byBroker?.has(mapping.bname)) continue
    if (byBroker === undefined) table.mappings.set(topic, new Map([[mapping.bname, mapping]]))
    else byBroker.set(mapping.bname, mapping)
    table.revision++
  }
}

function queuesOf(brokerName: string, topic: TopicConfig, isReadOnly: boolean): QueueData {
  return {
    brokerName,
    readQueueNums: topic.readQueueNums,
    writeQueueNums: topic.writeQueueNums,
    perm: isReadOnly ? withoutWrite(topic.perm) : topic.perm,
    topicSysFlag: topic.topicSysFlag,
  }
}

function putIfDifferent<C>(table: RouteTable<C>, topic: string, queues: QueueData): void {
  const present = table.topics.get(topic)?.get(queues.brokerName)
  if (
    present === undefined ||
    present.readQueueNums !== queues.readQueueNums ||
    present.writeQueueNums !== queues.writeQueueNums ||
    present.perm !== queues.perm ||
    present.topicSysFlag !== queues.topicSysFlag
  ) {
    table.putQueues(topic, queues)
  }
}

function keepAlive<C>(table: RouteTable<C>, registration: BrokerRegistration<C>, nowMs: number): void {
  const { clusterName, brokerAddr, haServerAddr, dataVersion, connection, filterServers } = registration
  const timeoutMs = registration.timeoutMs ?? BROKER_TIMEOUT_MS
  table.alive.put({ clusterName, brokerAddr, haServerAddr, dataVersion, timeoutMs, connection, lastSeenMs: nowMs })
  if (filterServers === undefined) return
  if (filterServers.length === 0) table.filterServers.delete(brokerAddr)
  else table.filterServers.set(brokerAddr, filterServers)
}

function masterFor<C>(
  table: RouteTable<C>,
  set: BrokerSet,
  { brokerId, clusterName }: BrokerRegistration<C>,
): { brokerAddr: string; haServerAddr: string } | undefined {
  const masterAddr = brokerId === MASTER_ID ? undefined : set.addresses.get(MASTER_ID)
  return masterAddr === undefined ? undefined : table.alive.get(clusterName, masterAddr)
}
