import { type Disk, RocketMqError } from '@rocketmq-ts/runtime'
import type { ClientTlsOptions, ServerTlsOptions } from './tls-options.ts'

/** What Java's TLS settings say, for both sides of a process. */
export interface TlsSettings {
  readonly server: ServerTlsOptions
  /** Undefined unless `tls.enable` is true. */
  readonly client: ClientTlsOptions | undefined
}

const modes = ['disabled', 'permissive', 'enforcing'] as const
const clientAuths = ['none', 'optional', 'require'] as const

/**
 * Reads Java's `tls.*` settings (of `tls.properties`, or given as system properties) out of `entries`; keys that are not
 * about TLS are left alone. Two differences: a certificate that is named is used even in test mode, which is on by
 * default; and a value that is none of those allowed is an error, where Java falls back silently. Throws `CONFIG_INVALID`
 * naming the key.
 *
 * Source: TlsSystemConfig, TlsHelper#extractTlsConfigFromFile, 5.3.x
 */
export function readTlsProperties(entries: ReadonlyMap<string, string>, disk: Disk): TlsSettings {
  const text = (key: string) => entries.get(key)?.trim() || undefined
  const flag = (key: string, fallback: boolean) => {
    const value = text(key)?.toLowerCase()
    return value === undefined ? fallback : value === 'true'
  }
  const testMode = flag('tls.test.mode.enable', true)
  const server: ServerTlsOptions = {
    disk,
    mode: oneOf('tls.server.mode', modes, text('tls.server.mode')) ?? 'permissive',
    testMode,
    needClientAuth: oneOf('tls.server.need.client.auth', clientAuths, text('tls.server.need.client.auth')) ?? 'none',
    authClient: flag('tls.server.authClient', false),
    keyPath: text('tls.server.keyPath'),
    keyPassword: text('tls.server.keyPassword'),
    certPath: text('tls.server.certPath'),
    trustCertPath: text('tls.server.trustCertPath'),
  }
  if (!flag('tls.enable', false)) return { server, client: undefined }
  const client: ClientTlsOptions = {
    disk,
    authServer: !testMode && flag('tls.client.authServer', false),
    keyPath: text('tls.client.keyPath'),
    keyPassword: text('tls.client.keyPassword'),
    certPath: text('tls.client.certPath'),
    trustCertPath: text('tls.client.trustCertPath'),
  }
  return { server, client }
}

function oneOf<const T extends string>(key: string, names: readonly T[], value: string | undefined): T | undefined {
  if (value === undefined) return undefined
  const name = names.find(candidate => candidate === value.toLowerCase())
  if (name !== undefined) return name
  throw new RocketMqError('CONFIG_INVALID', `${key} is "${value}"; it must be ${names.join(', ')}`, {
    details: { key },
  })
}
