import type { BrokerData } from '@rocketmq-ts/protocol'

/** A master and its slaves, which share a broker name. */
export interface BrokerSet {
  readonly cluster: string
  readonly brokerName: string
  zoneName: string | undefined
  /** A slave may stand in for a missing master. */
  enableActingMaster: boolean
  /** Id to `ip:port`; id 0 is the master. */
  readonly addresses: Map<number, string>
}

/** The id of a master. */
export const MASTER_ID = 0

/** The smallest id of a set; undefined when it is empty. */
export function smallestId(addresses: ReadonlyMap<number, string>): number | undefined {
  let smallest: number | undefined
  for (const id of addresses.keys()) if (smallest === undefined || id < smallest) smallest = id
  return smallest
}

/** The set as it stands in routes, with a copy of its addresses. */
export function brokerDataOf(set: BrokerSet): BrokerData {
  const { cluster, brokerName, zoneName, enableActingMaster } = set
  const brokerAddrs = new Map([...set.addresses].sort(([a], [b]) => a - b))
  return { cluster, brokerName, brokerAddrs, enableActingMaster, ...(zoneName === undefined ? {} : { zoneName }) }
}

/** The smallest id of a broker set has changed; its other members may want to know. */
export interface SmallestIdChange {
  readonly brokerName: string
  /** The members that are left, or the new one with the others. */
  readonly addresses: ReadonlyMap<number, string>
  /** Who has gone; undefined when somebody has come. */
  readonly offlineBrokerAddr: string | undefined
  /** Replication address of who has come. */
  readonly haBrokerAddr: string | undefined
}

/** Who is to be told of a change: everybody who is left, or, when somebody has come, all the others. */
export function audienceOf(change: SmallestIdChange): string[] {
  const { addresses, offlineBrokerAddr } = change
  if (offlineBrokerAddr !== undefined || addresses.size === 1) return [...addresses.values()]
  const smallest = smallestId(addresses)
  return [...addresses].filter(([id]) => id !== smallest).map(([, address]) => address)
}
