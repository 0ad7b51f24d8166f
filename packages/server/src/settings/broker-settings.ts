import { type BrokerOptions, readBrokerConf, type UnknownKey } from '@rocketmq-ts/broker/internal'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { ProgramIo } from '../program-io.ts'

/** What a broker's configuration file and the environment say; nothing is filled in. */
export interface BrokerSettings {
  readonly options: Partial<BrokerOptions>
  /** Kept and shown, as Java does, but without meaning. */
  readonly unknownEntries: ReadonlyMap<string, string>
  /** `tls.…` keys, which Java takes as system properties only. */
  readonly tlsEntries: ReadonlyMap<string, string>
}

/**
 * Reads `broker.conf`. An unknown key is a warning on standard error, with the key that was probably meant. Throws
 * `CONFIG_INVALID` when the file is missing or a value is wrong.
 */
export function loadBrokerSettings(io: ProgramIo, path: string | undefined): BrokerSettings {
  if (path === undefined) return { options: {}, unknownEntries: new Map(), tlsEntries: new Map() }
  const { options, unknownKeys, unknownEntries } = readBrokerConf(readConfigFile(io, path))
  const tlsEntries = new Map([...unknownEntries].filter(([key]) => isTlsKey(key)))
  warnOfUnknownKeys(io, path, unknownKeys)
  return {
    options: { ...options, brokerConfigPath: path },
    unknownEntries: new Map([...unknownEntries].filter(([key]) => !isTlsKey(key))),
    tlsEntries,
  }
}

/** The text of a configuration file that was named. Throws `CONFIG_INVALID` when it doesn't exist. */
export function readConfigFile(io: ProgramIo, path: string): string {
  const content = io.disk.readFile(path)
  if (content !== undefined) return content.toString('utf8')
  throw new RocketMqError('CONFIG_INVALID', `the configuration file ${path} doesn't exist`, { details: { path } })
}

/** Tells, on standard error, which keys mean nothing and what may have been meant. */
export function warnOfUnknownKeys(io: ProgramIo, path: string, unknownKeys: readonly UnknownKey[]): void {
  for (const { key, nearest } of unknownKeys) {
    if (isTlsKey(key)) continue
    io.err(`warning: ${path}: unknown key ${key}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`)
  }
}

function isTlsKey(key: string): boolean {
  return key.startsWith('tls.')
}
