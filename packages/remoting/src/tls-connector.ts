import { connect, type SecureContextOptions } from 'node:tls'
import { type Clock, type Logger, RocketMqError, type Socket } from '@rocketmq-ts/runtime'
import { isIpAddress } from './address.ts'
import { diskOf, TlsMaterial } from './tls-material.ts'
import type { ClientTlsOptions } from './tls-options.ts'

/** The client's side of TLS, on sockets that are connected already. */
export class TlsConnector {
  readonly #clock: Clock
  readonly #options: ClientTlsOptions
  readonly #material: TlsMaterial | undefined

  /** Throws `CONFIG_INVALID` when a named file is missing or can't be used. */
  constructor(clock: Clock, logger: Logger, options: ClientTlsOptions) {
    this.#clock = clock
    this.#options = options
    const disk = diskOf(options)
    // A new connection takes what the material holds by then, so a change needs no more than that.
    if (disk !== undefined)
      this.#material = new TlsMaterial({ clock, logger, disk, files: options, onChange: () => {} })
  }

  /**
   * Speaks TLS on `socket`, which leads to `host`; resolves when the handshake is done and the server is welcome.
   * Rejects with `CONNECT_FAILED`, and `socket` is closed.
   */
  wrap(socket: Socket, host: string, timeoutMs: number): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const address = `${host}:${socket.remotePort}`
      const context: SecureContextOptions = this.#material?.context ?? {}
      const checkHostName = this.#options.checkHostName ?? false
      const secure = connect({
        ...context,
        socket,
        rejectUnauthorized: this.#options.authServer ?? false,
        ...(isIpAddress(host) ? { host } : { servername: host }),
        ...(checkHostName ? {} : { checkServerIdentity: () => undefined }),
      })
      const settle = () => {
        timer.cancel()
        secure.off('error', onError)
        secure.off('close', onClose)
        secure.off('secureConnect', onSecure)
      }
      const fail = (why: string, cause?: Error) => {
        settle()
        secure.on('error', () => {})
        secure.destroy()
        socket.destroy()
        reject(new RocketMqError('CONNECT_FAILED', `no TLS with ${address}: ${why}`, { cause, details: { address } }))
      }
      const onError = (error: Error) => fail(error.message, error)
      const onClose = () => fail('closed during the handshake')
      const onSecure = () => {
        settle()
        resolve(secure)
      }
      const timer = this.#clock.setTimeout(() => fail(`no handshake within ${Math.round(timeoutMs)} ms`), timeoutMs)
      secure.once('error', onError)
      secure.once('close', onClose)
      secure.once('secureConnect', onSecure)
    })
  }

  close(): void {
    this.#material?.close()
  }
}
