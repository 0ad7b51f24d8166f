import { bodyCrc, type DataVersion, initialDataVersion, perm, type TopicConfig } from '@rocketmq-ts/model'
import {
  brokerHeartbeat,
  dataVersionBody,
  kvTable,
  queryDataVersion,
  registerBroker,
  registerBrokerBody,
  unregisterBroker,
} from '@rocketmq-ts/protocol'
import type { RpcClient } from '@rocketmq-ts/remoting'
import type { Clock, Logger, Timer } from '@rocketmq-ts/runtime'
import type { BrokerOptions } from '../options.ts'
import { reasonOf } from '../remarks.ts'
import type { TopicTable } from '../topic/topic-table.ts'
import { NameServerLink } from './name-server-link.ts'
import { parseNameServers } from './name-servers.ts'

/** Java's bounds of `registerNameServerPeriod`. */
const periodMinMs = 10_000
const periodMaxMs = 60_000
const unregisterTimeoutMs = 3000
const heartbeatDelayMs = 1000

/** Under which addresses the broker is registered; known once it listens. */
export interface BrokerAddresses {
  /** `ip:port` for clients. */
  readonly broker: string
  /** `ip:port` for slaves. */
  readonly ha: string
}

/**
 * Keeps this broker known to all its name servers: at the start, at each change of a topic, and periodically. A name server
 * that is down holds up neither the start nor the others; it is tried again with growing pauses.
 * Source: BrokerController#registerBrokerAll, BrokerOuterAPI#registerBrokerAll, 5.3.x
 */
export class Registrar {
  readonly #rpc: RpcClient
  readonly #options: BrokerOptions
  readonly #topics: TopicTable
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #links = new Map<string, NameServerLink>()
  readonly #timers: Timer[] = []
  #addresses: BrokerAddresses | undefined
  #state: 'new' | 'running' | 'stopped' = 'new'

  constructor(deps: { rpc: RpcClient; options: BrokerOptions; topics: TopicTable; clock: Clock; logger: Logger }) {
    this.#rpc = deps.rpc
    this.#options = deps.options
    this.#topics = deps.topics
    this.#clock = deps.clock
    this.#logger = deps.logger
    this.#topics.onChange(change => {
      if (this.#state !== 'running') return
      const { topicName } = change.topic
      for (const link of this.#links.values()) {
        void (change.kind === 'deleted' ? link.registerAll(true) : link.registerTopic(topicName))
      }
    })
  }

  /** Name servers that have all topics. */
  get registeredWith(): string[] {
    return [...this.#links.values()].filter(link => link.isRegistered).map(link => link.address)
  }

  /**
   * Begins registering. Returns at once; the promise resolves, never rejects, when each name server has accepted or failed
   * for the first time, or at once without any.
   */
  async start(addresses: BrokerAddresses): Promise<void> {
    this.#state = 'running'
    this.#addresses = addresses
    this.#scheduleNext()
    if (this.#options.enableSlaveActingMaster) this.#startHeartbeat()
    await this.registerNow()
  }

  /**
   * Takes over a changed list of name servers and registers all topics with each, forced. Resolves, never rejects, when
   * all have answered or failed.
   */
  async registerNow(): Promise<void> {
    this.#syncLinks()
    await Promise.all([...this.#links.values()].map(link => link.registerAll(true)))
  }

  /** Takes leave of all name servers; waits for each at most 3 s. Never rejects. Further changes register nothing. */
  async stop(): Promise<void> {
    if (this.#state !== 'running') return
    this.#state = 'stopped'
    for (const timer of this.#timers.splice(0)) timer.cancel()
    const links = [...this.#links.values()]
    this.#links.clear()
    await Promise.all(links.map(link => this.#leave(link)))
  }

  async #leave(link: NameServerLink): Promise<void> {
    // A registration in flight is awaited by its connection's order, not here: the name server handles it first.
    void link.close()
    if (!link.isRegistered) return
    try {
      await this.#rpc.call(unregisterBroker, link.address, this.#identity(), { timeoutMs: unregisterTimeoutMs })
    } catch (error) {
      this.#logger.warn(
        { nameServer: link.address, reason: reasonOf(error) },
        'could not unregister from a name server',
      )
    }
  }

  #syncLinks(): void {
    const wanted = new Set(parseNameServers(this.#options.nameServers))
    for (const [address, link] of this.#links) {
      if (wanted.has(address)) continue
      this.#links.delete(address)
      void link.close()
    }
    for (const address of wanted) {
      if (!this.#links.has(address)) this.#links.set(address, this.#newLink(address))
    }
  }

  #newLink(address: string): NameServerLink {
    return new NameServerLink({
      address,
      topics: this.#topics,
      clock: this.#clock,
      logger: this.#logger,
      retryDelayMaxMs: () => this.#periodMs(),
      calls: {
        register: (target, topics, version) => this.#register(target, topics, version),
        isOutdated: (target, version) => this.#isOutdated(target, version),
      },
    })
  }

  #periodMs(): number {
    return Math.max(periodMinMs, Math.min(this.#options.registerNameServerPeriodMs, periodMaxMs))
  }

  #scheduleNext(): void {
    const timer = this.#clock.setTimeout(
      () => {
        this.#timers.splice(this.#timers.indexOf(timer), 1)
        this.#syncLinks()
        for (const link of this.#links.values()) void link.registerAll(this.#options.forceRegister)
        this.#scheduleNext()
      },
      this.#periodMs(),
      { unref: true },
    )
    this.#timers.push(timer)
  }

  #identity() {
    const { brokerName, clusterName, brokerId } = this.#options
    return { brokerName, brokerAddr: this.#addresses!.broker, clusterName, brokerId }
  }

  async #register(address: string, topics: Iterable<TopicConfig>, version: DataVersion): Promise<void> {
    const { enableSlaveActingMaster, brokerNotActiveTimeoutMs, registerBrokerTimeoutMs } = this.#options
    const body = this.#body(topics, version)
    const header = {
      ...this.#identity(),
      haServerAddr: this.#addresses!.ha,
      enableActingMaster: enableSlaveActingMaster,
      compressed: false,
      bodyCrc32: bodyCrc(body),
      heartbeatTimeoutMillis: enableSlaveActingMaster ? brokerNotActiveTimeoutMs : undefined,
    }
    const answer = await this.#rpc.call(registerBroker, address, header, { body, timeoutMs: registerBrokerTimeoutMs })
    if (answer.body !== undefined) this.#topics.markOrdered(kvTable.decode(answer.body).table.keys())
  }

  #body(topics: Iterable<TopicConfig>, dataVersion: DataVersion): Buffer {
    const allowed = this.#options.brokerPermission
    const readWrite = perm.read | perm.write
    const isRestricted = (allowed & readWrite) !== readWrite
    const topicConfigTable = new Map<string, TopicConfig>()
    for (const topic of topics) {
      topicConfigTable.set(topic.topicName, isRestricted ? { ...topic, perm: topic.perm & allowed } : topic)
    }
    return registerBrokerBody.encode({
      topicConfigSerializeWrapper: {
        dataVersion,
        topicConfigTable,
        topicQueueMappingInfoMap: new Map(),
        topicQueueMappingDetailMap: new Map(),
        mappingDataVersion: initialDataVersion(this.#clock.now()),
      },
      filterServerList: [],
    })
  }

  async #isOutdated(address: string, version: DataVersion): Promise<boolean> {
    const timeoutMs = this.#options.registerBrokerTimeoutMs
    const body = dataVersionBody.encode(version)
    const answer = await this.#rpc.call(queryDataVersion, address, this.#identity(), { body, timeoutMs })
    return answer.header.changed
  }

  /** Keeps a group with an acting master alive between registrations. */
  #startHeartbeat(): void {
    const first = this.#clock.setTimeout(
      () => {
        const periodMs = Math.max(1, this.#options.brokerHeartbeatIntervalMs)
        this.#timers.push(this.#clock.setInterval(() => this.#sendHeartbeat(), periodMs, { unref: true }))
      },
      heartbeatDelayMs,
      { unref: true },
    )
    this.#timers.push(first)
  }

  #sendHeartbeat(): void {
    const timeoutMs = this.#options.sendHeartbeatTimeoutMs
    const isOldKind = this.#options.compatibleWithOldNameSrv
    for (const { address } of this.#links.values()) {
      const call = isOldKind
        ? this.#isOutdated(address, this.#topics.dataVersion)
        : this.#rpc.call(brokerHeartbeat, address, this.#identity(), { timeoutMs })
      call.catch(error => this.#logger.debug({ nameServer: address, reason: reasonOf(error) }, 'a heartbeat failed'))
    }
  }
}
