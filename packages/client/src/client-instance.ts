import { buildClientId, type MessageQueue } from '@rocketmq-ts/model'
import { type HeartbeatData, RequestCode, requestCommand } from '@rocketmq-ts/protocol'
import { type Connection, Router, RpcClient } from '@rocketmq-ts/remoting'
import { type Clock, type Logger, type Random, RocketMqError, realDisk, type Timer } from '@rocketmq-ts/runtime'
import { registerBrokerRequests } from './broker-requests.ts'
import { defaultInstanceName, localAddress } from './client-id.ts'
import type { ConsumerRegistration } from './consume/consumer-registration.ts'
import { Heartbeats, heartbeatOf } from './heartbeat.ts'
import { NameServers, parseNameServers } from './name-servers.ts'
import type { ResolvedClientOptions } from './options.ts'
import type { ProducerRegistration } from './registrations.ts'
import { requestHooksOf } from './request-hooks.ts'
import { RouteTable } from './route-table.ts'

/** How often the list of name servers is asked for when `nameServers` is a function. */
const nameServerSourceIntervalMs = 120_000

/**
 * Above this, new calls on a connection fail with TOO_MANY_REQUESTS. Producers and consumers have bounds of their own,
 * well below: reaching this one means that a broker has stopped reading.
 */
const outgoingLimitBytes = 256 << 20

/** Of this process (or worker thread): sharing key → instance. */
const instances = new Map<string, ClientInstance>()

/** What an acquirer is going to register. */
export interface AcquireOptions {
  /** Reserves this consumer group: another instance is taken when the shared one already has a consumer of it. */
  consumerGroup?: string
  /** Lite pull consumers with stream requests live on an instance of their own. */
  stream?: boolean
}

/**
 * Everything that producers and consumers of one process share towards one cluster: one connection per broker, routes,
 * heartbeats, and the requests that brokers send. Shared by client id and connection options, counted by use, closed by
 * the last {@link release}. Source: MQClientInstance, 5.3.x
 */
export class ClientInstance {
  readonly clientId: string
  /** First half of the client id: the address this client says it has. */
  readonly clientAddress: string
  readonly options: ResolvedClientOptions
  readonly clock: Clock
  readonly logger: Logger
  readonly random: Random
  readonly rpc: RpcClient
  /** Requests that brokers send. */
  readonly router: Router
  readonly nameServers: NameServers
  readonly routes: RouteTable
  readonly #key: string
  readonly #heartbeats: Heartbeats
  readonly #producers = new Map<string, Set<ProducerRegistration>>()
  readonly #consumers = new Map<string, ConsumerRegistration>()
  readonly #reservedGroups = new Set<string>()
  #uses = 0
  #state: 'idle' | 'running' | 'closed' = 'idle'
  #timers: Timer[] = []
  #beating: Promise<void> | undefined
  #beatsAgain: Promise<void> | undefined
  #sourceAsked: Promise<void> | undefined
  #closing: Promise<void> | undefined

  private constructor(
    key: string,
    clientId: string,
    clientAddress: string,
    options: ResolvedClientOptions,
    isStream: boolean,
  ) {
    this.#key = key
    this.clientId = clientId
    this.clientAddress = clientAddress
    this.options = options
    this.clock = options.ports.clock
    this.random = options.ports.random
    this.logger = options.logger.child({ clientId })
    const { clock, logger, random } = this
    this.router = new Router(logger)
    this.rpc = new RpcClient({
      network: options.ports.network,
      clock,
      logger,
      connectTimeoutMs: options.connectTimeoutMs,
      requestHandlers: this.router,
      hooks: requestHooksOf(options, isStream),
      tls: options.tls && { ...options.tls, disk: realDisk },
      outgoingLimitBytes,
      outgoingCloseBytes: 2 * outgoingLimitBytes,
      onConnection: (address, connection) => this.#onConnection(address, connection),
    })
    this.nameServers = new NameServers({ rpc: this.rpc, clock, logger, random })
    if (typeof options.nameServers !== 'function') this.nameServers.replace(options.nameServers)
    const timeoutMs = options.requestTimeoutMs
    this.routes = new RouteTable({ nameServers: this.nameServers, clock, logger, random, timeoutMs })
    const brokers = this.routes.brokers
    this.#heartbeats = new Heartbeats({
      rpc: this.rpc,
      brokers,
      clock,
      logger,
      timeoutMs,
      isVersion2: options.heartbeatV2,
    })
    registerBrokerRequests(this.router, {
      consumer: group => this.#consumers.get(group),
      producers: () => this.#allProducers(),
      logger,
    })
  }

  /**
   * The instance for these options: the shared one, or a new one. Each call is paired with one {@link release}. Does no I/O.
   * Throws `INVALID_STATE` when `consumerGroup` is taken and the user chose `instanceName`.
   */
  static acquire(options: ResolvedClientOptions, use: AcquireOptions = {}): ClientInstance {
    const clientAddress = options.clientAddress ?? localAddress()
    const instanceName = options.instanceName ?? defaultInstanceName()
    const { unitName } = options
    for (let sequence = 0; ; sequence++) {
      const clientId = buildClientId({
        ip: clientAddress,
        instanceName: sequence === 0 ? instanceName : `${instanceName}#${sequence}`,
        ...(unitName === undefined ? {} : { unitName }),
        stream: use.stream ?? false,
      })
      const key = sharingKey(clientId, options)
      let instance = instances.get(key)
      if (instance && use.consumerGroup !== undefined && instance.#hasGroup(use.consumerGroup)) {
        if (options.instanceName === undefined) continue
        throw new RocketMqError(
          'INVALID_STATE',
          `client ${clientId} already has a consumer of group "${use.consumerGroup}"; give this one another instanceName`,
        )
      }
      if (!instance) {
        instance = new ClientInstance(key, clientId, clientAddress, options, use.stream ?? false)
        instances.set(key, instance)
      }
      if (use.consumerGroup !== undefined) instance.#reservedGroups.add(use.consumerGroup)
      instance.#uses++
      return instance
    }
  }

  /**
   * Gives the instance back. The last user's call stops timers and closes connections, and resolves when they are closed;
   * groups must have been unregistered before.
   */
  release(): Promise<void> {
    if (this.#uses > 0) this.#uses--
    if (this.#uses > 0) return Promise.resolve()
    this.#closing ??= this.#close()
    return this.#closing
  }

  /**
   * Makes the instance usable: starts its timers, and asks a `nameServers` function for the list. Repeated calls share one
   * answer. Rejects with what that function throws.
   */
  async start(): Promise<void> {
    if (this.#state === 'closed') throw new RocketMqError('INVALID_STATE', `client ${this.clientId} is closed`)
    if (this.#state === 'idle') {
      this.#state = 'running'
      this.#startTimers()
    }
    if (typeof this.options.nameServers === 'function' && this.nameServers.addresses.length === 0) {
      this.#sourceAsked ??= this.#askNameServerSource().finally(() => {
        this.#sourceAsked = undefined
      })
      await this.#sourceAsked
    }
  }

  /** Adds a consumer. Send a heartbeat afterwards. Throws `INVALID_STATE` when the group has one on this instance. */
  registerConsumer(group: string, consumer: ConsumerRegistration): void {
    if (this.#consumers.has(group)) {
      throw new RocketMqError('INVALID_STATE', `client ${this.clientId} already has a consumer of group "${group}"`)
    }
    this.#consumers.set(group, consumer)
  }

  /** Removes a consumer, telling every broker. Never rejects: brokers that don't answer find out by themselves. */
  async unregisterConsumer(group: string): Promise<void> {
    this.#reservedGroups.delete(group)
    if (!this.#consumers.delete(group)) return
    await this.#unregister({ clientID: this.clientId, consumerGroup: group })
  }

  /** Adds a producer; several of one group may live on one instance. */
  registerProducer(group: string, producer: ProducerRegistration): void {
    let producers = this.#producers.get(group)
    if (!producers) {
      producers = new Set()
      this.#producers.set(group, producers)
    }
    producers.add(producer)
  }

  /** Removes a producer; the last one of its group tells every broker. Never rejects. */
  async unregisterProducer(group: string, producer: ProducerRegistration): Promise<void> {
    const producers = this.#producers.get(group)
    if (!producers?.delete(producer) || producers.size > 0) return
    this.#producers.delete(group)
    await this.#unregister({ clientID: this.clientId, producerGroup: group })
  }

  /**
   * Tells all known brokers which groups live here. Resolves when each has answered or failed; never rejects. A call during
   * a round waits for one more round, which it shares with all other such calls.
   */
  sendHeartbeats(): Promise<void> {
    if (!this.#beating) {
      this.#beating = this.#beat().finally(() => {
        this.#beating = undefined
      })
      return this.#beating
    }
    this.#beatsAgain ??= this.#beating.then(() => {
      this.#beatsAgain = undefined
      return this.sendHeartbeats()
    })
    return this.#beatsAgain
  }

  /** Makes the next heartbeats full ones; to be called after the queues of a consumer changed. */
  forgetHeartbeatFingerprints(): void {
    this.#heartbeats.forgetFingerprints()
  }

  /** `version` a broker told in its last heartbeat answer; undefined before. See `mqVersion` for its meaning. */
  brokerVersion(address: string): number | undefined {
    return this.#heartbeats.brokerVersions.get(address)
  }

  /**
   * Address of the queue's master for sending or asking; when unknown the route is asked for once more.
   * Rejects with `BROKER_NOT_FOUND`.
   */
  async masterOf(queue: MessageQueue): Promise<string> {
    const brokerName = this.routes.holderOf(queue)
    let master = this.routes.brokers.master(brokerName)
    if (!master) {
      await this.routes.refresh(queue.topic)
      master = this.routes.brokers.master(this.routes.holderOf(queue))
    }
    if (master) return master.address
    throw new RocketMqError('BROKER_NOT_FOUND', `no route names a master of broker "${brokerName}"`, {
      details: { brokerName, topic: queue.topic },
    })
  }

  /**
   * A broker that is back must learn at once who lives here, and consumers look at their queues again.
   * Source: MQClientInstance#NettyRemotingClient channel event listener, 5.3.x
   */
  #onConnection(address: string, connection: Connection): void {
    this.logger.debug({ address, connection: connection.id }, 'connected')
    if (this.#state !== 'running') return
    const brokerName = this.routes.brokers.nameOf(address)
    if (brokerName === undefined) return
    const told = this.#heartbeats.isSendingTo(address)
      ? Promise.resolve()
      : this.#heartbeats.sendTo(address, brokerName, this.#heartbeat())
    void told.then(() => {
      for (const consumer of this.#consumers.values()) consumer.onConsumerIdsChanged()
    })
  }

  #heartbeat(): HeartbeatData {
    return heartbeatOf(this.clientId, this.#producers.keys(), this.#consumers.values())
  }

  #hasGroup(group: string): boolean {
    return this.#consumers.has(group) || this.#reservedGroups.has(group)
  }

  *#allProducers(): Iterable<ProducerRegistration> {
    for (const producers of this.#producers.values()) yield* producers
  }

  #startTimers(): void {
    const { pollNameServerIntervalMs, heartbeatIntervalMs } = this.options
    this.#timers.push(
      this.clock.setInterval(() => void this.routes.refreshAll(this.#topicsInUse()), pollNameServerIntervalMs),
      this.clock.setInterval(() => {
        this.routes.dropOfflineBrokers()
        void this.sendHeartbeats()
      }, heartbeatIntervalMs),
    )
    if (typeof this.options.nameServers !== 'function') return
    this.#timers.push(
      this.clock.setInterval(() => {
        this.#askNameServerSource().catch(error => this.logger.warn({ err: error }, 'name server list not refreshed'))
      }, nameServerSourceIntervalMs),
    )
  }

  #topicsInUse(): Set<string> {
    const topics = new Set<string>()
    for (const consumer of this.#consumers.values()) for (const { topic } of consumer.subscriptions()) topics.add(topic)
    for (const producer of this.#allProducers()) for (const topic of producer.topics()) topics.add(topic)
    return topics
  }

  async #askNameServerSource(): Promise<void> {
    const source = this.options.nameServers
    if (typeof source !== 'function') return
    this.nameServers.replace(parseNameServers(await source()).addresses)
  }

  async #beat(): Promise<void> {
    if (this.#producers.size === 0 && this.#consumers.size === 0) return
    await this.#heartbeats.sendAll(this.#heartbeat())
  }

  async #unregister(ext: Record<string, string>): Promise<void> {
    const addresses = new Set<string>()
    for (const { endpoint } of this.routes.brokers.entries()) addresses.add(endpoint.address)
    await Promise.all(
      [...addresses].map(async address => {
        try {
          await this.rpc.invoke(
            address,
            requestCommand(RequestCode.UNREGISTER_CLIENT, ext),
            this.options.requestTimeoutMs,
          )
        } catch (error) {
          this.logger.debug({ address, err: error }, 'broker not told of the end of a group')
        }
      }),
    )
  }

  async #close(): Promise<void> {
    this.#state = 'closed'
    if (instances.get(this.#key) === this) instances.delete(this.#key)
    for (const timer of this.#timers) timer.cancel()
    this.#timers = []
    await this.rpc.close()
  }
}

/** Instances are shared only between clients that would talk to the same servers in the same way. */
function sharingKey(clientId: string, options: ResolvedClientOptions): string {
  const { nameServers, namespaceV2, credentials, tls, ports } = options
  const servers = typeof nameServers === 'function' ? functionId(nameServers) : [...nameServers].sort()
  return JSON.stringify([
    clientId,
    servers,
    namespaceV2,
    credentials,
    tls && functionId(tls),
    functionId(ports.clock),
    functionId(ports.network),
  ])
}

const objectIds = new WeakMap<object, number>()
let nextObjectId = 1

/** A number for an object, the same at each call: options that can't be compared are shared by identity. */
function functionId(object: object): number {
  let id = objectIds.get(object)
  if (id === undefined) {
    id = nextObjectId++
    objectIds.set(object, id)
  }
  return id
}
