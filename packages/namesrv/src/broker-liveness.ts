import type { DataVersion } from '@rocketmq-ts/model'

/** A broker that has registered and not been given up. `C` is its connection. */
export interface LiveBroker<C> {
  readonly clusterName: string
  readonly brokerAddr: string
  readonly haServerAddr: string
  /** Version of the topics that it has registered. */
  readonly dataVersion: DataVersion
  /** How long it may be silent, in milliseconds. */
  readonly timeoutMs: number
  readonly connection: C
  /** On the monotonic clock. */
  lastSeenMs: number
}

/**
 * Which brokers are alive, by cluster and address. Pure: time comes in with each call.
 * Source: RouteInfoManager.brokerLiveTable, 5.3.x.
 */
export class BrokerLiveness<C> {
  readonly #brokers = new Map<string, LiveBroker<C>>()

  get size(): number {
    return this.#brokers.size
  }

  get(clusterName: string, brokerAddr: string): LiveBroker<C> | undefined {
    return this.#brokers.get(keyOf(clusterName, brokerAddr))
  }

  /** Replaces what was known of this address. */
  put(broker: LiveBroker<C>): void {
    this.#brokers.set(keyOf(broker.clusterName, broker.brokerAddr), broker)
  }

  remove(clusterName: string, brokerAddr: string): LiveBroker<C> | undefined {
    const broker = this.get(clusterName, brokerAddr)
    this.#brokers.delete(keyOf(clusterName, brokerAddr))
    return broker
  }

  /** A sign of life; false from a broker that is not registered. */
  touch(clusterName: string, brokerAddr: string, nowMs: number): boolean {
    const broker = this.get(clusterName, brokerAddr)
    if (broker === undefined) return false
    broker.lastSeenMs = nowMs
    return true
  }

  /** The brokers that registered last over this connection. */
  over(connection: C): LiveBroker<C>[] {
    return [...this.#brokers.values()].filter(broker => broker.connection === connection)
  }

  /** The brokers that have been silent for longer than they may. */
  expired(nowMs: number): LiveBroker<C>[] {
    return [...this.#brokers.values()].filter(broker => broker.lastSeenMs + broker.timeoutMs < nowMs)
  }
}

/** A line break is in neither name. */
function keyOf(clusterName: string, brokerAddr: string): string {
  return `${clusterName}\n${brokerAddr}`
}
