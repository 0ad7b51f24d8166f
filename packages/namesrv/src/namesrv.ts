import type { Connection, ServerTlsOptions } from '@rocketmq-ts/remoting'
import { joinAddress, RpcClient, RpcServer } from '@rocketmq-ts/remoting'
import {
  BackedUpFile,
  type Clock,
  type Disk,
  delay,
  type Logger,
  type Network,
  silentLogger,
  type Timer,
  TurnScheduler,
} from '@rocketmq-ts/runtime'
import { NamesrvConfiguration } from './configuration.ts'
import { DepartureQueue } from './departures.ts'
import { registerConfig } from './handlers/config-handlers.ts'
import { registerRegistration } from './handlers/registration-handlers.ts'
import { registerRoutes } from './handlers/route-handlers.ts'
import { registerTopics } from './handlers/topic-handlers.ts'
import { KvConfig } from './kv-config.ts'
import { type NamesrvOptions, namesrvOptions } from './options.ts'
import type { SmallestIdChange } from './route/broker-set.ts'
import { RouteTable } from './route/route-table.ts'
import { type BrokerDeparture, departureOf, unregisterBrokers } from './route/unregister-brokers.ts'
import { notifySmallestIdChange } from './smallest-id-notifier.ts'

/** How a name server is started. */
export interface NamesrvStartOptions {
  readonly network: Network
  readonly clock: Clock
  readonly disk: Disk
  /** Default: silent. */
  readonly logger?: Logger
  /** Shared with other parts of the process; by default one of its own. */
  readonly turn?: TurnScheduler
  /** Default: `bindAddress` of the options, 0.0.0.0. */
  readonly host?: string
  /** 0: a free one. Default: `listenPort` of the options, 9876. */
  readonly port?: number
  /** Settings by our name; the others have Java's defaults. The object is neither changed nor kept. */
  readonly options?: Partial<NamesrvOptions>
  /** File of the key-value configuration. Default: `kvConfigPath` of the options; without either it is not kept. */
  readonly kvConfigPath?: string
  /** File that changed settings are written to. Default: `configStorePath`; without either they are not kept. */
  readonly configPath?: string
  readonly tls?: ServerTlsOptions
}

/** A running name server. */
export interface Namesrv extends AsyncDisposable {
  /** `host:port` that it listens on. */
  readonly address: string
  readonly host: string
  readonly port: number
  /** Brokers that are registered and alive. */
  readonly brokerCount: number
  /**
   * Stops. With `enableShutdownGracefully` clients are sent away first, for `shutdownWaitTimeSeconds`. Resolves when all
   * sockets and timers are gone. Idempotent.
   */
  close(): Promise<void>
}

/**
 * Starts a name server; resolves when it listens. Rejects with `ADDRESS_IN_USE`, `CONNECT_FAILED`, `CONFIG_INVALID` (a bad
 * setting, or a `kvConfig.json` that can't be read).
 */
export async function startNamesrv(start: NamesrvStartOptions): Promise<Namesrv> {
  const server = new NamesrvServer(start)
  await server.listen()
  return server
}

/** Wiring only. */
class NamesrvServer implements Namesrv {
  readonly #options: NamesrvOptions
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #table = new RouteTable<Connection>()
  readonly #departures: DepartureQueue
  readonly #server: RpcServer
  readonly #client: RpcClient
  #sweep: Timer | undefined
  #closing: Promise<void> | undefined
  host = ''
  port = 0

  constructor(start: NamesrvStartOptions) {
    const { network, clock, disk, logger = silentLogger, turn = new TurnScheduler(clock) } = start
    const options = namesrvOptions(start.options)
    options.bindAddress = start.host ?? options.bindAddress
    options.listenPort = start.port ?? options.listenPort
    options.kvConfigPath = start.kvConfigPath ?? options.kvConfigPath
    options.configStorePath = start.configPath ?? options.configStorePath
    this.#options = options
    this.#clock = clock
    this.#logger = logger
    this.#departures = new DepartureQueue(
      clock,
      () => options.unregisterQueueCapacity,
      batch => this.#remove(batch),
    )
    const idleTimeoutMs = options.serverChannelMaxIdleTimeSeconds * 1_000
    this.#server = new RpcServer({ network, clock, logger, turn, idleTimeoutMs, ...(start.tls && { tls: start.tls }) })
    this.#client = new RpcClient({ network, clock, logger, turn })

    const fileAt = (path: string) => (path === '' ? undefined : new BackedUpFile(disk, path))
    const kvConfig = new KvConfig(fileAt(options.kvConfigPath), logger, turn)
    kvConfig.load()
    const configuration = new NamesrvConfiguration({ options, file: fileAt(options.configStorePath), logger })
    configuration.onUpdate(() => this.#startSweep())
    this.#route(kvConfig, configuration)
  }

  get address(): string {
    return joinAddress(this.host, this.port)
  }

  get brokerCount(): number {
    return this.#table.alive.size
  }

  async listen(): Promise<void> {
    try {
      const { bindAddress: host, listenPort: port } = this.#options
      const bound = await this.#server.listen({ host, port })
      this.host = bound.host
      this.port = bound.port
      this.#options.listenPort = bound.port
    } catch (error) {
      await this.close()
      throw error
    }
    this.#startSweep()
    this.#logger.info({ address: this.address }, 'the name server is ready')
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    if (this.#options.enableShutdownGracefully && this.port !== 0) {
      this.#server.router.goAway()
      await delay(this.#clock, this.#options.shutdownWaitTimeSeconds * 1_000)
    }
    this.#sweep?.cancel()
    await Promise.all([this.#server.close(), this.#client.close()])
  }

  #route(kvConfig: KvConfig, configuration: NamesrvConfiguration): void {
    const { router } = this.#server
    const deps = {
      table: this.#table,
      departures: this.#departures,
      kvConfig,
      configuration,
      options: this.#options,
      clock: this.#clock,
      logger: this.#logger,
      onSmallestIdChange: (change: SmallestIdChange) => this.#tell([change]),
    }
    registerRoutes(router, deps)
    registerRegistration(router, deps)
    registerTopics(router, deps)
    registerConfig(router, deps)
    this.#server.onClose(connection => this.#onConnectionLost(connection))
  }

  #onConnectionLost(connection: Connection): void {
    if (this.#closing !== undefined) return
    for (const broker of this.#table.alive.over(connection)) {
      const { brokerAddr, clusterName } = broker
      this.#logger.warn({ brokerAddr, clusterName }, 'a broker lost its connection')
      this.#leave(broker)
    }
  }

  #startSweep(): void {
    if (this.#closing !== undefined) return
    this.#sweep?.cancel()
    this.#sweep = this.#clock.setInterval(() => this.#dropSilent(), this.#options.scanNotActiveBrokerIntervalMs)
  }

  #dropSilent(): void {
    for (const broker of this.#table.alive.expired(this.#clock.monotonic())) {
      const { brokerAddr, clusterName, timeoutMs } = broker
      this.#logger.warn({ brokerAddr, clusterName, timeoutMs }, 'a broker has been silent for too long')
      broker.connection.close('the broker has been silent for too long')
      this.#leave(broker)
    }
  }

  /** A departure that nobody has announced: it is never refused. */
  #leave({ clusterName, brokerAddr }: { clusterName: string; brokerAddr: string }): void {
    const departure = departureOf(this.#table, { clusterName, brokerAddr })
    if (departure === undefined) this.#table.alive.remove(clusterName, brokerAddr)
    else if (!this.#departures.add(departure)) {
      this.#departures.drain()
      this.#departures.add(departure)
    }
  }

  #remove(batch: readonly BrokerDeparture[]): void {
    for (const { brokerName, brokerId, brokerAddr } of batch) {
      this.#logger.info({ brokerName, brokerId, brokerAddr }, 'broker unregistered')
    }
    this.#tell(unregisterBrokers(this.#table, batch))
  }

  #tell(changes: readonly SmallestIdChange[]): void {
    if (!this.#options.notifyMinBrokerIdChanged || this.#closing !== undefined) return
    for (const change of changes) notifySmallestIdChange(this.#client, this.#logger, change)
  }
}
