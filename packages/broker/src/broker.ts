import { type ClientTlsOptions, RpcClient, RpcServer, type ServerTlsOptions } from '@rocketmq-ts/remoting'
import {
  type Clock,
  type Disk,
  delay,
  type Logger,
  type Network,
  type Random,
  silentLogger,
  TurnScheduler,
} from '@rocketmq-ts/runtime'
import type { MessageStore } from '@rocketmq-ts/store'
import { addressesOf } from './broker-addresses.ts'
import { type BrokerState, openState } from './broker-state.ts'
import { followConfigChanges } from './options/config-effects.ts'
import { BrokerConfiguration } from './options/configuration.ts'
import { applyStartRules } from './options/start-rules.ts'
import type { BrokerOptions } from './options.ts'
import { type Registered, registerEverything } from './register-everything.ts'
import { Registrar } from './registration/registrar.ts'

/** What {@link startBroker} takes. */
export interface BrokerDeps {
  readonly network: Network
  readonly clock: Clock
  readonly random: Random
  readonly disk: Disk
  /** Shared with whoever else runs in this process; by default one of its own. */
  readonly turn?: TurnScheduler
  /** Silent by default. */
  readonly logger?: Logger
  /** Made by `createBrokerOptions`. Live: the broker reads it as it runs, and UPDATE_BROKER_CONFIG changes it. */
  readonly options: BrokerOptions
  /** The settings with the file they came from; without it changes last until the broker stops. */
  readonly configuration?: BrokerConfiguration
  /** Certificates and mode; by default plain and TLS on one port, with a certificate that signs itself. */
  readonly tls?: ServerTlsOptions
  /** Speak TLS to name servers and other brokers. Default: plain. */
  readonly clientTls?: ClientTlsOptions | undefined
  /** Listen on the "VIP" port (listenPort - 2), too. Default: true unless listenPort is 0. */
  readonly listenVip?: boolean
}

/** A running broker. */
export interface Broker {
  /** `ip:port` under which clients and name servers know it. */
  readonly address: string
  /** Where it listens. */
  readonly port: number
  readonly options: BrokerOptions
  readonly store: MessageStore
  readonly state: BrokerState
  /** Pulls that wait for messages. */
  readonly heldPulls: number
  /** Resolves, never rejects, when each name server has accepted it or failed for the first time. */
  readonly registered: Promise<void>
  /**
   * Takes leave of the name servers, lets the answers that wait for the log go out, closes all connections, saves offsets
   * and closes the store. With `enableShutdownGracefully` clients are sent away before that, for `shutdownWaitTimeSeconds`.
   * Resolves when the port and the store directory are free. Idempotent.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** How long a stopping broker waits for the log, ms. */
const DRAIN_TIMEOUT_MS = 5_000
const DRAIN_STEP_MS = 5

/**
 * Opens the store under `storePathRootDir`, listens, and begins to register. Rejects with `STORE_LOCKED`, `STORE_CORRUPT`,
 * `CONFIG_INVALID`, `ADDRESS_IN_USE` or `CONNECT_FAILED`; then nothing is left open.
 */
export async function startBroker(deps: BrokerDeps): Promise<Broker> {
  const { network, clock, random, disk, logger = silentLogger, options } = deps
  applyStartRules(options)
  if (options.brokerRole === 'SLAVE') {
    logger.warn(
      { brokerId: options.brokerId },
      'this slave serves what its store holds; nothing is copied from its master',
    )
  }
  const turn = deps.turn ?? new TurnScheduler(clock, error => logger.error({ error }, 'the end of a turn failed'))
  const state = await openState({ disk, clock, turn, logger, options })
  const server = new RpcServer({
    network,
    clock,
    logger,
    turn,
    idleTimeoutMs: options.serverChannelMaxIdleSeconds * 1000,
    ...(deps.tls === undefined ? {} : { tls: deps.tls }),
  })
  const rpc = new RpcClient({ network, clock, logger, turn, tls: deps.clientTls })
  try {
    const { port } = await server.listen({ host: options.bindAddress, port: options.listenPort })
    const addresses = addressesOf(options, port, logger)
    const configuration = deps.configuration ?? new BrokerConfiguration({ options, clock, logger })
    const registrar = new Registrar({ rpc, options, topics: state.topics, clock, logger })
    configuration.showEffective('listenPort', port)
    configuration.showEffective('haListenPort', options.haListenPort > 0 ? options.haListenPort : port + 1)
    followConfigChanges(configuration, { topics: state.topics, registrar })
    const registered = registerEverything(server, {
      state,
      options,
      configuration,
      addresses,
      clock,
      random,
      disk,
      logger,
    })
    // Not before: the handlers had to be there when the first connection came.
    if (deps.listenVip ?? options.listenPort > 2) await listenVip(server, options, logger)
    state.stats.start()
    const known = registrar.start(addresses)
    registered.schedule.start()
    await registered.transactions.start()
    logger.info({ address: addresses.broker, brokerName: options.brokerName }, 'broker started')
    return new RunningBroker({
      state,
      server,
      rpc,
      registrar,
      registered,
      clock,
      logger,
      known,
      options,
      port,
      addresses,
    })
  } catch (error) {
    await server.close()
    await rpc.close()
    await state.offsetFile.close()
    for (const saver of state.configSavers) saver.close()
    state.filterFile.close()
    await state.store.close()
    throw error
  }
}

/** Java's second port. Clients use it only when told to, so a broker without it is still a whole one. */
async function listenVip(server: RpcServer, options: BrokerOptions, logger: Logger): Promise<void> {
  const port = options.listenPort - 2
  try {
    await server.listen({ host: options.bindAddress, port })
  } catch (error) {
    logger.warn({ port, err: error }, 'the VIP port is not available; clients that use it must not be told to')
  }
}

interface RunningParts {
  readonly state: BrokerState
  readonly server: RpcServer
  readonly rpc: RpcClient
  readonly registrar: Registrar
  readonly registered: Registered
  readonly clock: Clock
  readonly logger: Logger
  readonly known: Promise<void>
  readonly options: BrokerOptions
  readonly port: number
  readonly addresses: { readonly broker: string }
}

class RunningBroker implements Broker {
  readonly address: string
  readonly port: number
  readonly options: BrokerOptions
  readonly store: MessageStore
  readonly state: BrokerState
  readonly registered: Promise<void>
  readonly #parts: RunningParts
  #closing: Promise<void> | undefined

  constructor(parts: RunningParts) {
    this.#parts = parts
    this.address = parts.addresses.broker
    this.port = parts.port
    this.options = parts.options
    this.store = parts.state.store
    this.state = parts.state
    this.registered = parts.known
  }

  get heldPulls(): number {
    return this.#parts.registered.heldPulls()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    const { state, server, rpc, registrar, registered, clock, logger, options } = this.#parts
    await registrar.stop()
    if (options.enableShutdownGracefully) {
      server.router.goAway()
      await delay(clock, options.shutdownWaitTimeSeconds * 1000)
    }
    registered.stopTakingSends()
    await this.#drain()
    await registered.schedule.close()
    await registered.transactions.close()
    await server.close()
    registered.close()
    await rpc.close()
    state.stats.stop()
    state.notifier.close()
    await state.offsetFile.close()
    for (const saver of state.configSavers) saver.close()
    state.filterFile.close()
    await state.store.close()
    logger.info({ address: this.address }, 'broker stopped')
  }

  /** Waits until what was taken in is answered, within reason. */
  async #drain(): Promise<void> {
    const { clock, registered } = this.#parts
    const deadline = clock.monotonic() + DRAIN_TIMEOUT_MS
    while (registered.pendingSends() > 0 && clock.monotonic() < deadline) await delay(clock, DRAIN_STEP_MS)
  }
}
