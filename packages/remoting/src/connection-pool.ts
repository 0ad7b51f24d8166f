import { type Clock, type Network, offAbort, onAbort, RocketMqError, type Socket } from '@rocketmq-ts/runtime'
import { socketAddresses, splitAddress } from './address.ts'
import { Connection } from './connection.ts'
import type { ConnectionContext } from './connection-context.ts'
import { abortedError } from './connection-errors.ts'

/** Turns a connected plain socket into the one to speak on: itself, or TLS around it. */
export type SocketWrapper = (socket: Socket, host: string, timeoutMs: number) => Promise<Socket>

interface Slot {
  /** The connection, once there is one. */
  connection: Connection | undefined
  /** Shared by all who wait for it. */
  connecting: Promise<Connection> | undefined
}

/**
 * One connection per address, made when first needed and shared by all. Whoever asks while it is being made waits for
 * the same attempt; a failed attempt is forgotten, so the next one who asks tries again.
 */
export class ConnectionPool {
  readonly #network: Network
  readonly #clock: Clock
  readonly #context: ConnectionContext
  readonly #connectTimeoutMs: number
  readonly #wrap: SocketWrapper | undefined
  readonly #onConnection: (address: string, connection: Connection) => void
  readonly #slots = new Map<string, Slot>()
  /** All that are not gone yet, also those that were replaced. */
  readonly #living = new Set<Connection>()
  readonly #aborter = new AbortController()

  constructor(options: {
    network: Network
    context: ConnectionContext
    connectTimeoutMs: number
    wrap: SocketWrapper | undefined
    onConnection: (address: string, connection: Connection) => void
  }) {
    this.#network = options.network
    this.#clock = options.context.clock
    this.#context = options.context
    this.#connectTimeoutMs = options.connectTimeoutMs
    this.#wrap = options.wrap
    this.#onConnection = options.onConnection
  }

  get connections(): Iterable<Connection> {
    return this.#living
  }

  /** The connection to `address` if there is one that can be used now. */
  peek(address: string): Connection | undefined {
    const connection = this.#slots.get(address)?.connection
    return connection?.isUsable ? connection : undefined
  }

  /**
   * The connection to `address`, made if need be. Rejects with `CONNECT_FAILED`, `INVALID_ARGUMENT` for what is no
   * address, `INVALID_STATE` after {@link ConnectionPool.close}, `ABORTED` (the attempt goes on for the others),
   * `REQUEST_TIMEOUT` when it takes longer than `timeoutMs`.
   */
  async connect(address: string, timeoutMs?: number, signal?: AbortSignal): Promise<Connection> {
    if (this.#aborter.signal.aborted) throw new RocketMqError('INVALID_STATE', 'the client is closed')
    let slot = this.#slots.get(address)
    if (slot?.connection?.isUsable) return slot.connection
    if (slot === undefined || slot.connection !== undefined) {
      slot = { connection: undefined, connecting: undefined }
      this.#slots.set(address, slot)
    }
    slot.connecting ??= this.#open(address, slot)
    return signal === undefined && (timeoutMs === undefined || timeoutMs >= this.#connectTimeoutMs)
      ? slot.connecting
      : this.#waitFor(slot.connecting, address, timeoutMs ?? this.#connectTimeoutMs, signal)
  }

  /** Uses `connection` for nothing new; it closes when its calls are done. */
  retire(address: string, connection: Connection): void {
    const slot = this.#slots.get(address)
    if (slot?.connection === connection) this.#slots.delete(address)
  }

  async close(): Promise<void> {
    this.#aborter.abort(new RocketMqError('INVALID_STATE', 'the client is closed'))
    const connecting = [...this.#slots.values()].map(slot => slot.connecting?.catch(() => undefined))
    for (const connection of this.#living) connection.close('the client is closed')
    await Promise.all(connecting)
    await Promise.all([...this.#living].map(connection => connection.closed))
  }

  async #open(address: string, slot: Slot): Promise<Connection> {
    try {
      const connection = await this.#connect(address)
      slot.connection = connection
      slot.connecting = undefined
      connection.onClose(() => {
        this.#living.delete(connection)
        this.retire(address, connection)
      })
      this.#onConnection(address, connection)
      return connection
    } catch (error) {
      if (this.#slots.get(address) === slot) this.#slots.delete(address)
      throw error
    }
  }

  async #connect(address: string): Promise<Connection> {
    const parts = splitAddress(address)
    if (parts === undefined) throw new RocketMqError('INVALID_ARGUMENT', `${JSON.stringify(address)} is no host:port`)
    const { signal } = this.#aborter
    const startedMs = this.#clock.monotonic()
    const plain = await this.#network.connect({ ...parts, timeoutMs: this.#connectTimeoutMs, signal })
    const leftMs = Math.max(1, this.#connectTimeoutMs - (this.#clock.monotonic() - startedMs))
    const socket = this.#wrap === undefined ? plain : await this.#wrap(plain, parts.host, leftMs)
    if (signal.aborted) {
      socket.destroy()
      throw signal.reason
    }
    const connection = new Connection(this.#context, socket, { ...socketAddresses(socket), remoteAddress: address })
    this.#living.add(connection)
    return connection
  }

  #waitFor(
    connecting: Promise<Connection>,
    address: string,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        timer.cancel()
        if (signal) offAbort(signal, giveUp)
      }
      const fail = (error: unknown) => {
        settle()
        reject(error)
      }
      const giveUp = () => fail(abortedError(0, signal))
      const timer = this.#clock.setTimeout(
        () => fail(new RocketMqError('REQUEST_TIMEOUT', `not connected to ${address} within ${timeoutMs} ms`)),
        timeoutMs,
      )
      if (signal) onAbort(signal, giveUp)
      connecting.then(connection => {
        settle()
        resolve(connection)
      }, fail)
    })
  }
}
