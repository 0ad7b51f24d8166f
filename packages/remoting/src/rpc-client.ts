import {
  type Api,
  decodeHeader,
  type ExtFields,
  encodeHeader,
  type HeaderDescriptor,
  type RemotingCommand,
  type RequestInput,
  type ResponseOf,
  requestCommand,
} from '@rocketmq-ts/protocol'
import {
  type Clock,
  type Logger,
  type Network,
  RateLimitedLog,
  RocketMqError,
  silentLogger,
  TimingWheel,
  TurnScheduler,
} from '@rocketmq-ts/runtime'
import type { BorrowedBytes } from './bytes.ts'
import type { Connection } from './connection.ts'
import type { ConnectionContext } from './connection-context.ts'
import { abortedError } from './connection-errors.ts'
import { ConnectionPool } from './connection-pool.ts'
import { Flusher } from './flusher.ts'
import { InFlightAccount } from './in-flight.ts'
import { defaultTotals, type LimitOptions, limitsOf } from './options.ts'
import { Router } from './router.ts'
import { TlsConnector } from './tls-connector.ts'
import type { ClientTlsOptions } from './tls-options.ts'

const SUCCESS = 0
const GO_AWAY = 1500
const DEFAULT_TIMEOUT_MS = 3_000

/** Sees each request before it is encoded and each answer before its caller does; may add header fields (signatures). */
export interface RequestHook {
  /** `command` may be changed. What it throws fails the call. */
  beforeRequest?(address: string, command: RemotingCommand): void
  afterResponse?(address: string, request: RemotingCommand, response: RemotingCommand): void
}

/** How a {@link RpcClient} is built. Limits have the defaults of {@link defaultLimits}. */
export interface RpcClientOptions extends LimitOptions {
  network: Network
  clock: Clock
  logger?: Logger
  /** Shared by those who must agree on the order of a turn's end; by default one of its own. */
  turn?: TurnScheduler
  /** Default 3,000 ms, TLS included. */
  connectTimeoutMs?: number
  /** Speak TLS. Default: plain. */
  tls?: ClientTlsOptions | undefined
  /** Handles requests that the server sends to us. Without it they are ignored. */
  requestHandlers?: Router
  /** Called in this order for every call, the raw ones excepted. */
  hooks?: readonly RequestHook[]
  /** A new connection stands. */
  onConnection?: (address: string, connection: Connection) => void
}

/** Settings of one call. */
export interface CallOptions {
  body?: Buffer | undefined
  /** From the call to the answer, connecting included. Default 3,000 ms. */
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
  /** More header fields. */
  ext?: ExtFields | undefined
  /** Answer codes that are no failure, beside 0. */
  accept?: readonly number[] | undefined
}

/** The answer to a call. */
export interface CallResult<Header> {
  readonly header: Header
  readonly body: BorrowedBytes | undefined
  readonly command: RemotingCommand
}

/** Calls servers by address, over one shared connection for each. Many calls travel on a connection at once. */
export class RpcClient {
  readonly #clock: Clock
  readonly #pool: ConnectionPool
  readonly #wheel: TimingWheel
  readonly #flusher: Flusher
  readonly #tls: TlsConnector | undefined
  readonly #hooks: readonly RequestHook[]
  #closing: Promise<void> | undefined

  constructor(options: RpcClientOptions) {
    const { network, clock, logger = silentLogger, turn = new TurnScheduler(clock) } = options
    this.#clock = clock
    this.#hooks = options.hooks ?? []
    this.#wheel = new TimingWheel(clock, { onError: error => logger.error({ error }, "a deadline's handler failed") })
    this.#flusher = new Flusher(turn)
    const context: ConnectionContext = {
      role: 'client',
      clock,
      logger,
      repeatedLog: new RateLimitedLog(clock, logger),
      wheel: this.#wheel,
      flusher: this.#flusher,
      // A client that gets a request it doesn't know doesn't answer.
      router: options.requestHandlers ?? new Router(logger).handleOthers(() => {}),
      limits: limitsOf(options),
      account: new InFlightAccount(defaultTotals.inFlightTotalBytes, defaultTotals.unfinishedTotalBytes),
    }
    const tls = options.tls === undefined ? undefined : new TlsConnector(clock, logger, options.tls)
    this.#tls = tls
    this.#pool = new ConnectionPool({
      network,
      context,
      connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_TIMEOUT_MS,
      wrap: tls && ((socket, host, timeoutMs) => tls.wrap(socket, host, timeoutMs)),
      onConnection: options.onConnection ?? (() => {}),
    })
  }

  /** The connections that are not gone yet. */
  get connections(): Iterable<Connection> {
    return this.#pool.connections
  }

  /**
   * Calls `api` at `address` (`host:port`). Rejects with `RESPONSE_ERROR` (`details.responseCode`, `details.remark`) when
   * the answer's code is neither 0 nor in `accept`; with `HEADER_INVALID` when the answer's header is not what it should
   * be; otherwise as {@link RpcClient.invoke} does.
   */
  async call<A extends Api<HeaderDescriptor, HeaderDescriptor>>(
    api: A,
    address: string,
    header: RequestInput<A>,
    options: CallOptions = {},
  ): Promise<CallResult<ResponseOf<A>>> {
    const fields = encodeHeader(api.request, header as never)
    const command = requestCommand(
      api.code,
      options.ext === undefined ? fields : { ...fields, ...options.ext },
      options.body,
    )
    const response = await this.invoke(address, command, options.timeoutMs, options.signal)
    if (response.code !== SUCCESS && !options.accept?.includes(response.code)) {
      throw responseError(api.name, address, response)
    }
    return {
      header: decodeHeader(api.response, response.extFields) as ResponseOf<A>,
      body: response.body,
      command: response,
    }
  }

  /**
   * Sends `command` to `address` and resolves with the answer, whatever its code. An answer `GO_AWAY` is followed by one
   * attempt on a new connection. Rejects with `CONNECT_FAILED`, `CONNECTION_CLOSED`, `REQUEST_TIMEOUT`, `ABORTED`,
   * `TOO_MANY_REQUESTS`, `FRAME_TOO_LARGE`, `INVALID_ARGUMENT` (no address) or `INVALID_STATE` (closed).
   */
  async invoke(
    address: string,
    command: RemotingCommand,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    signal?: AbortSignal,
  ): Promise<RemotingCommand> {
    if (signal?.aborted) throw abortedError(command.code, signal)
    for (const hook of this.#hooks) hook.beforeRequest?.(address, command)
    const startedMs = this.#clock.monotonic()
    const connection = this.#pool.peek(address) ?? (await this.#pool.connect(address, timeoutMs, signal))
    let response = await connection.call(command, this.#left(startedMs, timeoutMs), signal)
    if (response.code === GO_AWAY) {
      this.leave(address, connection)
      const next = await this.#pool.connect(address, this.#left(startedMs, timeoutMs), signal)
      response = await next.call(command, this.#left(startedMs, timeoutMs), signal)
    }
    for (const hook of this.#hooks) hook.afterResponse?.(address, command, response)
    return response
  }

  /** Sends a request that is never answered. Resolves when it is queued; rejects when no connection can be made. */
  async sendOneway(address: string, command: RemotingCommand): Promise<void> {
    for (const hook of this.#hooks) hook.beforeRequest?.(address, command)
    const connection = this.#pool.peek(address) ?? (await this.#pool.connect(address))
    connection.sendOneway(command)
  }

  /** The connection to `address` if it stands already: for hot callers, who then use `connection.callRaw`. */
  connectionTo(address: string): Connection | undefined {
    return this.#pool.peek(address)
  }

  /** The connection to `address`, made if need be. Rejects as {@link RpcClient.invoke} does. */
  connect(address: string, timeoutMs?: number, signal?: AbortSignal): Promise<Connection> {
    return this.#pool.connect(address, timeoutMs, signal)
  }

  /** Starts nothing new on `connection`; the next call to `address` makes another one. It closes when its calls are done. */
  leave(address: string, connection: Connection): void {
    this.#pool.retire(address, connection)
    connection.closeWhenDone('the server goes away')
  }

  /** Closes all connections; calls that wait fail. Resolves when all sockets are gone. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#pool.close()
    this.#tls?.close()
    this.#wheel.clear()
    this.#flusher.close()
  }

  #left(startedMs: number, timeoutMs: number): number {
    return Math.max(1, timeoutMs - (this.#clock.monotonic() - startedMs))
  }
}

/** The error for an answer that is a refusal. */
export function responseError(name: string, address: string, response: RemotingCommand): RocketMqError {
  const remark = response.remark ?? ''
  return new RocketMqError('RESPONSE_ERROR', `${address} refused ${name} with code ${response.code}: ${remark}`, {
    details: { responseCode: response.code, remark, address, request: name },
    retryable: response.code === GO_AWAY,
  })
}
