import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { type Clock, type Disk, type Logger, RocketMqError, type Timer } from '@rocketmq-ts/runtime'
import type { TlsFiles } from './tls-options.ts'

const RELOAD_PERIOD_MS = 10_000

/**
 * Key, certificate and trust as node:tls wants them, read from files and read again when one of them changes. A change
 * that can't be used (a key that doesn't fit yet, half a file) is logged, and what there was stays in use until the next
 * look.
 */
export class TlsMaterial {
  readonly #disk: Disk
  readonly #files: Partial<TlsFiles>
  readonly #logger: Logger
  readonly #onChange: (context: SecureContextOptions) => void
  readonly #timer: Timer | undefined
  #stamp: string
  #context: SecureContextOptions

  /** Throws `CONFIG_INVALID` when the files can't be used. */
  constructor(options: {
    clock: Clock
    logger: Logger
    disk: Disk
    files: Partial<TlsFiles>
    onChange: (context: SecureContextOptions) => void
  }) {
    this.#disk = options.disk
    this.#files = options.files
    this.#logger = options.logger
    this.#onChange = options.onChange
    this.#stamp = this.#stampOfFiles()
    this.#context = this.#load()
    const periodMs = options.files.reloadPeriodMs ?? RELOAD_PERIOD_MS
    if (periodMs > 0) this.#timer = options.clock.setInterval(() => this.#reloadIfChanged(), periodMs, { unref: true })
  }

  get context(): SecureContextOptions {
    return this.#context
  }

  close(): void {
    this.#timer?.cancel()
  }

  #reloadIfChanged(): void {
    try {
      const stamp = this.#stampOfFiles()
      if (stamp === this.#stamp) return
      this.#context = this.#load()
      this.#stamp = stamp
      this.#onChange(this.#context)
      this.#logger.info({ certPath: this.#files.certPath }, 'TLS files have changed and are in use')
    } catch (error) {
      this.#logger.warn({ error }, 'TLS files have changed but cannot be used; the former ones stay in use')
    }
  }

  #stampOfFiles(): string {
    const { keyPath, certPath, trustCertPath } = this.#files
    return [keyPath, certPath, trustCertPath]
      .map(path => {
        const stat = path === undefined ? undefined : this.#disk.stat(path)
        return stat === undefined ? '-' : `${stat.modifiedAtMs}/${stat.size}`
      })
      .join(' ')
  }

  #load(): SecureContextOptions {
    const { keyPath, keyPassword, certPath, trustCertPath } = this.#files
    const context: SecureContextOptions = {}
    if (keyPath !== undefined) context.key = this.#read(keyPath)
    if (keyPassword !== undefined) context.passphrase = keyPassword
    if (certPath !== undefined) context.cert = this.#read(certPath)
    if (trustCertPath !== undefined) context.ca = this.#read(trustCertPath)
    try {
      createSecureContext(context)
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new RocketMqError('CONFIG_INVALID', `the TLS files ${keyPath}, ${certPath}, ${trustCertPath}: ${why}`, {
        cause,
      })
    }
    return context
  }

  #read(path: string): Buffer {
    const content = this.#disk.readFile(path)
    if (content === undefined) throw new RocketMqError('CONFIG_INVALID', `TLS file ${path} doesn't exist`)
    return content
  }
}

/** The disk of `files`, needed as soon as one of them is named. Throws `CONFIG_INVALID`. */
export function diskOf(files: Partial<TlsFiles>): Disk | undefined {
  if (files.keyPath === undefined && files.certPath === undefined && files.trustCertPath === undefined) return undefined
  if (files.disk === undefined)
    throw new RocketMqError('CONFIG_INVALID', 'TLS files are named but there is no disk to read them')
  return files.disk
}
