import type { SmallestIdChange } from './broker-set.ts'
import { smallestId } from './broker-set.ts'
import { type RouteTable, withoutWrite } from './route-table.ts'

/** A broker that leaves. */
export interface BrokerDeparture {
  readonly clusterName: string
  readonly brokerAddr: string
  readonly brokerName: string
  readonly brokerId: number
}

/**
 * Takes brokers out, many at once because a cluster that stops goes through all topics only once. A broker name without
 * addresses loses its topics; one without a master, where a slave may stand in, can't be written to any more. Returns the
 * sets whose smallest id has changed. Source: RouteInfoManager#unRegisterBroker, 5.3.x.
 */
export function unregisterBrokers<C>(table: RouteTable<C>, departures: readonly BrokerDeparture[]): SmallestIdChange[] {
  const goneNames = new Set<string>()
  const leftNames = new Set<string>()
  const changes = new Map<string, SmallestIdChange>()
  for (const departure of departures) {
    const { brokerName, brokerAddr } = departure
    const change = removeAddress(table, departure)
    if (!table.brokers.has(brokerName)) goneNames.add(brokerName)
    else leftNames.add(brokerName)
    if (change) {
      const addresses = new Map(table.brokers.get(brokerName)?.addresses)
      changes.set(brokerName, { brokerName, addresses, offlineBrokerAddr: brokerAddr, haBrokerAddr: undefined })
    }
  }
  for (const name of goneNames) {
    leftNames.delete(name)
    changes.delete(name)
  }
  if (goneNames.size > 0) removeTopicsOf(table, goneNames)
  for (const name of leftNames) {
    if (table.brokers.get(name)?.enableActingMaster && table.hasNoMaster(name)) {
      table.changePermissions(name, withoutWrite)
    }
  }
  table.revision++
  return [...changes.values()].filter(({ brokerName }) => table.brokers.get(brokerName)?.enableActingMaster)
}

/** Removes one address; true when members are left and the one with the smallest id has gone. */
function removeAddress<C>(table: RouteTable<C>, departure: BrokerDeparture): boolean {
  const { clusterName, brokerAddr, brokerName, brokerId } = departure
  table.alive.remove(clusterName, brokerAddr)
  table.filterServers.delete(brokerAddr)
  const set = table.brokers.get(brokerName)
  if (set === undefined) return false
  const wasSmallest = brokerId === smallestId(set.addresses)
  for (const [id, address] of set.addresses) if (address === brokerAddr) set.addresses.delete(id)
  if (set.addresses.size > 0) return wasSmallest
  table.brokers.delete(brokerName)
  for (const [cluster, names] of table.clusters) {
    if (names.delete(brokerName) && names.size === 0) table.clusters.delete(cluster)
  }
  return false
}

function removeTopicsOf<C>(table: RouteTable<C>, brokerNames: ReadonlySet<string>): void {
  for (const [topic, byBroker] of table.topics) {
    for (const brokerName of brokerNames) byBroker.delete(brokerName)
    if (byBroker.size === 0) table.removeTopic(topic)
  }
}

/** The departure of a broker of which only cluster and address are known; undefined when no set has it. */
export function departureOf<C>(
  table: RouteTable<C>,
  { clusterName, brokerAddr }: { clusterName: string; brokerAddr: string },
): BrokerDeparture | undefined {
  for (const brokerName of table.clusters.get(clusterName) ?? []) {
    const set = table.brokers.get(brokerName)
    if (set === undefined) continue
    for (const [brokerId, address] of set.addresses) {
      if (address === brokerAddr) return { clusterName, brokerAddr, brokerName, brokerId }
    }
  }
  return undefined
}
