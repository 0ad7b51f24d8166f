import {
  type Clock,
  type Listener,
  type Logger,
  type Network,
  RateLimitedLog,
  silentLogger,
  TimingWheel,
  TurnScheduler,
} from '@rocketmq-ts/runtime'
import { Connection } from './connection.ts'
import type { ConnectionContext } from './connection-context.ts'
import { Flusher } from './flusher.ts'
import { type AdmittedPeer, FrontDoor } from './front-door.ts'
import { InFlightAccount } from './in-flight.ts'
import { defaultTotals, type LimitOptions, limitsOf } from './options.ts'
import { Router } from './router.ts'
import { TlsAcceptor } from './tls-acceptor.ts'
import type { ServerTlsOptions } from './tls-options.ts'

/** How a {@link RpcServer} is built. Limits have the defaults of {@link defaultLimits}. */
export interface RpcServerOptions extends LimitOptions {
  network: Network
  clock: Clock
  logger?: Logger
  /** Shared by those who must agree on the order of a turn's end; by default one of its own. */
  turn?: TurnScheduler
  /** Requests being handled, over all connections, in bytes; above it connections that bring more are not read from. */
  inFlightTotalBytes?: number
  /** Memory of half received frames, over all connections; a connection that exceeds it is closed. */
  unfinishedTotalBytes?: number
  /** Default: plain and TLS on one port, with a certificate that signs itself. */
  tls?: ServerTlsOptions
  /** Read PROXY headers (v1 and v2) where a connection begins with one. Default true. */
  proxyProtocol?: boolean
}

type ConnectionListener = (connection: Connection) => void

/** Listens for peers and lets a {@link Router} handle what they ask. */
export class RpcServer {
  readonly router: Router
  readonly #network: Network
  readonly #logger: Logger
  readonly #context: ConnectionContext
  readonly #flusher: Flusher
  readonly #tls: TlsAcceptor | undefined
  readonly #door: FrontDoor
  readonly #listeners: Listener[] = []
  readonly #connections = new Set<Connection>()
  readonly #openListeners: ConnectionListener[] = []
  readonly #closeListeners: ConnectionListener[] = []
  #closing: Promise<void> | undefined

  constructor(options: RpcServerOptions) {
    const { network, clock, logger = silentLogger, turn = new TurnScheduler(clock) } = options
    this.#network = network
    this.#logger = logger
    this.router = new Router(logger)
    this.#flusher = new Flusher(turn)
    this.#context = {
      role: 'server',
      clock,
      logger,
      repeatedLog: new RateLimitedLog(clock, logger),
      wheel: new TimingWheel(clock, { onError: error => logger.error({ error }, "a deadline's handler failed") }),
      flusher: this.#flusher,
      router: this.router,
      limits: limitsOf(options),
      account: new InFlightAccount(
        options.inFlightTotalBytes ?? defaultTotals.inFlightTotalBytes,
        options.unfinishedTotalBytes ?? defaultTotals.unfinishedTotalBytes,
      ),
    }
    const { wheel, repeatedLog, limits } = this.#context
    const tlsMode = options.tls?.mode ?? 'permissive'
    this.#tls = tlsMode === 'disabled' ? undefined : new TlsAcceptor(clock, logger, options.tls ?? {})
    this.#door = new FrontDoor({
      wheel,
      repeatedLog,
      timeoutMs: limits.idleTimeoutMs,
      tlsMode,
      tls: this.#tls,
      proxyProtocol: options.proxyProtocol ?? true,
      onAdmitted: peer => this.#admit(peer),
    })
  }

  /** The connections that are open now. */
  get connections(): Iterable<Connection> {
    return this.#connections
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  /** Calls `listener` for each new connection, before anything of it is handled. */
  onConnection(listener: ConnectionListener): void {
    this.#openListeners.push(listener)
  }

  /** Calls `listener` for each connection whose socket is gone. */
  onClose(listener: ConnectionListener): void {
    this.#closeListeners.push(listener)
  }

  /**
   * Listens on one more address (port 0: a free one); resolves with it when bound.
   * Rejects with `ADDRESS_IN_USE` or `CONNECT_FAILED`.
   */
  async listen({ host, port }: { host: string; port: number }): Promise<{ host: string; port: number }> {
    const listener = await this.#network.listen({ host, port }, socket => this.#door.receive(socket))
    this.#listeners.push(listener)
    this.#logger.debug({ host: listener.host, port: listener.port }, 'listening')
    return { host: listener.host, port: listener.port }
  }

  /**
   * Stops listening, sends what is queued on each connection, closes them, and resolves when all sockets are gone (those
   * who don't read are cut off after three seconds). Idempotent.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const listening = this.#listeners.map(listener => listener.close())
    this.#door.close()
    const closed = [...this.#connections].map(connection => {
      connection.close('the server stops')
      return connection.closed
    })
    await Promise.all([...listening, ...closed])
    this.#tls?.close()
    this.#context.wheel.clear()
    this.#flusher.close()
  }

  #admit({ socket, addresses, attributes, firstBytes }: AdmittedPeer): void {
    if (this.#closing !== undefined) {
      socket.destroy()
      return
    }
    const connection = new Connection(this.#context, socket, addresses)
    for (const [name, value] of attributes) connection.attributes.set(name, value)
    this.#connections.add(connection)
    connection.onClose(() => {
      this.#connections.delete(connection)
      this.#tell(this.#closeListeners, connection)
    })
    this.#tell(this.#openListeners, connection)
    if (firstBytes.length > 0) connection.receive(firstBytes)
  }

  #tell(listeners: readonly ConnectionListener[], connection: Connection): void {
    for (const listener of listeners) {
      try {
        listener(connection)
      } catch (error) {
        this.#logger.error({ error, connection: connection.id }, 'a connection listener failed')
      }
    }
  }
}
