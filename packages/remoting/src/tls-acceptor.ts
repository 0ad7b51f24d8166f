import { createServer, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls'
import { type Clock, type Logger, RateLimitedLog, RocketMqError, type Socket } from '@rocketmq-ts/runtime'
import { selfSignedCertificate } from './self-signed.ts'
import { diskOf, TlsMaterial } from './tls-material.ts'
import type { ServerTlsOptions } from './tls-options.ts'

const HANDSHAKE_TIMEOUT_MS = 10_000

/**
 * The server's side of TLS, on sockets that somebody else has accepted. A node TLS server does the work, though it never
 * listens: it knows handshake time-outs, client certificates, and how to change certificates under way.
 */
export class TlsAcceptor {
  readonly #clock: Clock
  readonly #options: ServerTlsOptions
  readonly #repeatedLog: RateLimitedLog
  readonly #material: TlsMaterial | undefined
  readonly #waiting = new Map<string, (socket: TLSSocket) => void>()
  #server: Server | undefined

  /** Throws `CONFIG_INVALID` when a named file is missing or can't be used. */
  constructor(clock: Clock, logger: Logger, options: ServerTlsOptions) {
    this.#clock = clock
    this.#options = options
    this.#repeatedLog = new RateLimitedLog(clock, logger)
    const disk = diskOf(options)
    if (disk === undefined) return
    this.#material = new TlsMaterial({
      clock,
      logger,
      disk,
      files: options,
      onChange: context => this.#server?.setSecureContext(context),
    })
  }

  /** False when there is neither a certificate nor leave to make one. */
  get isAble(): boolean {
    return this.#options.certPath !== undefined || (this.#options.testMode ?? true)
  }

  /**
   * Speaks TLS on `socket`, whose bytes so far have been put back with `unshift`. Calls `onSecure` once the client is
   * known and welcome; otherwise `socket` is closed.
   */
  accept(socket: Socket, onSecure: (socket: TLSSocket) => void): void {
    this.#server ??= this.#createServer()
    const key = keyOf(socket)
    this.#waiting.set(key, onSecure)
    socket.once('close', () => this.#waiting.delete(key))
    this.#server.emit('connection', socket)
  }

  close(): void {
    this.#material?.close()
    this.#waiting.clear()
  }

  #createServer(): Server {
    const { needClientAuth = 'none', authClient = false } = this.#options
    const server = createServer({
      ...this.#certificate(),
      requestCert: needClientAuth !== 'none',
      rejectUnauthorized: needClientAuth === 'require' && authClient,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    })
    server.on('secureConnection', socket => this.#onSecure(socket))
    server.on('tlsClientError', (error, socket) => {
      this.#repeatedLog.info(
        'handshake',
        { remoteAddress: socket.remoteAddress, reason: error.message },
        'TLS handshake failed',
      )
      socket.destroy()
    })
    return server
  }

  #certificate(): SecureContextOptions {
    const context = this.#material?.context ?? {}
    if (context.cert !== undefined) return context
    if (!this.isAble) throw new RocketMqError('CONFIG_INVALID', 'TLS needs a certificate')
    return { ...context, ...selfSignedCertificate(this.#clock.now()) }
  }

  #onSecure(socket: TLSSocket): void {
    const key = keyOf(socket)
    const onSecure = this.#waiting.get(key)
    this.#waiting.delete(key)
    const refusal = this.#refusal(socket)
    if (onSecure !== undefined && refusal === undefined) {
      onSecure(socket)
      return
    }
    this.#repeatedLog.info('refused', { remoteAddress: socket.remoteAddress, reason: refusal }, 'TLS client refused')
    socket.destroy()
  }

  /** Why the client isn't welcome; undefined when it is. */
  #refusal(socket: TLSSocket): string | undefined {
    const { needClientAuth = 'none', authClient = false } = this.#options
    if (needClientAuth === 'none') return undefined
    const hasCertificate = Object.keys(socket.getPeerCertificate()).length > 0
    if (!hasCertificate) return needClientAuth === 'require' ? 'it shows no certificate' : undefined
    return authClient && !socket.authorized ? String(socket.authorizationError) : undefined
  }
}

/** The two addresses of a TCP connection, which no two living ones share; both the socket and TLS on it show them. */
function keyOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress} ${socket.localPort}`
}
