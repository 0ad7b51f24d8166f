import type { Socket } from 'node:net'

export type { Socket }

/**
 * The only door to sockets. A `Socket` here is a plain TCP stream (node's `net.Socket`, or a duplex stream of the simulated
 * network with the same events); TLS and the PROXY protocol are layered on it by `remoting`.
 */
export interface Network {
  /**
   * Listens on `host:port` (port 0: a free one; host `0.0.0.0`: all addresses, also those of IPv6). Resolves when
   * bound. Rejects with `ADDRESS_IN_USE` or `CONNECT_FAILED`. Accepted sockets have TCP_NODELAY set.
   */
  listen(
    options: { host: string; port: number; backlog?: number },
    onSocket: (socket: Socket) => void,
  ): Promise<Listener>
  /** Connects; rejects with `CONNECT_FAILED` (`details.address`) on refusal or after `timeoutMs`. TCP_NODELAY set. */
  connect(options: { host: string; port: number; timeoutMs: number; signal?: AbortSignal }): Promise<Socket>
}

export interface Listener {
  readonly host: string
  readonly port: number
  /** Stops accepting. Resolves when the port is free; accepted sockets are the owner's to close. */
  close(): Promise<void>
}
