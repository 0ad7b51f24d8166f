import type { BrokerData } from '@rocketmq-ts/protocol'

/** Address of one broker process. */
export interface BrokerEndpoint {
  readonly address: string
  readonly brokerId: number
  readonly isSlave: boolean
}

/**
 * Broker name → id → address, learned from routes. Source: MQClientInstance#brokerAddrTable, 5.3.x
 */
export class BrokerAddresses {
  readonly #byName = new Map<string, Map<number, BrokerEndpoint>>()

  /** Takes over what a route says of a broker; returns true when something was new. */
  update(data: BrokerData): boolean {
    const known = this.#byName.get(data.brokerName)
    if (known && known.size === data.brokerAddrs.size) {
      let same = true
      for (const [brokerId, address] of data.brokerAddrs) same &&= known.get(brokerId)?.address === address
      if (same) return false
    }
    const endpoints = new Map<number, BrokerEndpoint>()
    for (const [brokerId, address] of data.brokerAddrs) {
      endpoints.set(brokerId, { address, brokerId, isSlave: brokerId !== 0 })
    }
    this.#byName.set(data.brokerName, endpoints)
    return true
  }

  master(brokerName: string): BrokerEndpoint | undefined {
    return this.#byName.get(brokerName)?.get(0)
  }

  /**
   * The broker with this id (default 0, the master). When missing and not `onlyThisId`: the next id for a slave, then any
   * of the name. Source: MQClientInstance#findBrokerAddressInSubscribe, 5.3.x
   */
  find(brokerName: string, brokerId = 0, onlyThisId = false): BrokerEndpoint | undefined {
    const endpoints = this.#byName.get(brokerName)
    if (!endpoints) return undefined
    const exact = endpoints.get(brokerId) ?? (brokerId !== 0 ? endpoints.get(brokerId + 1) : undefined)
    if (exact || onlyThisId) return endpoints.get(brokerId) ?? exact
    return endpoints.values().next().value
  }

  /** Every endpoint with its broker name. */
  *entries(): Iterable<{ brokerName: string; endpoint: BrokerEndpoint }> {
    for (const [brokerName, endpoints] of this.#byName) {
      for (const endpoint of endpoints.values()) yield { brokerName, endpoint }
    }
  }

  hasAddress(address: string): boolean {
    return this.nameOf(address) !== undefined
  }

  /** Name of the broker at this address. */
  nameOf(address: string): string | undefined {
    for (const { brokerName, endpoint } of this.entries()) if (endpoint.address === address) return brokerName
    return undefined
  }

  /** Forgets addresses for which `isUsed` is false. */
  retain(isUsed: (address: string) => boolean): void {
    for (const [brokerName, endpoints] of this.#byName) {
      for (const endpoint of endpoints.values()) if (!isUsed(endpoint.address)) endpoints.delete(endpoint.brokerId)
      if (endpoints.size === 0) this.#byName.delete(brokerName)
    }
  }
}
