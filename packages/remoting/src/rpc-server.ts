import type { Socket } from 'node:net'
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
import { type PeerAddresses, socketAddresses } from './address.ts'
import { Connection } from './connection.ts'
import { type ConnectionContext, Flusher } from './connection-context.ts'
import { InFlightAccount } from './in-flight.ts'
import { defaultTotals, type LimitOptions, limitsOf } from './options.ts'
import { Router } from './router.ts'

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
}

type ConnectionListener = (connection: Connection) => void

/** Listens for peers and lets a {@link Router} handle what they ask. */
export class RpcServer {
  readonly router: Router
  readonly #network: Network
  readonly #logger: Logger
  readonly #context: ConnectionContext
  readonly #flusher: Flusher
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
      wheel: new TimingWheel(clock),
      flusher: this.#flusher,
      pool: this.#flusher.pool,
      router: this.router,
      limits: limitsOf(options),
      account: new InFlightAccount(
        options.inFlightTotalBytes ?? defaultTotals.inFlightTotalBytes,
        options.unfinishedTotalBytes ?? defaultTotals.unfinishedTotalBytes,
      ),
    }
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
    const listener = await this.#network.listen({ host, port }, socket => this.#onSocket(socket))
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
    const closed = [...this.#connections].map(connection => {
      connection.close('the server stops')
      return connection.closed
    })
    await Promise.all([...listening, ...closed])
    this.#context.wheel.clear()
    this.#flusher.close()
  }

  #onSocket(socket: Socket): void {
    this.#admit(socket, socketAddresses(socket))
  }

  #admit(socket: Socket, addresses: PeerAddresses): void {
    if (this.#closing !== undefined) {
      socket.destroy()
      return
    }
    const connection = new Connection(this.#context, socket, addresses)
    this.#connections.add(connection)
    connection.onClose(() => {
      this.#connections.delete(connection)
      this.#tell(this.#closeListeners, connection)
    })
    this.#tell(this.#openListeners, connection)
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
