import type { ClientTlsOptions as RemotingTlsOptions } from '@rocketmq-ts/remoting'
import {
  type Clock,
  type Logger,
  type Network,
  nodeNetwork,
  type Random,
  RocketMqError,
  silentLogger,
  systemClock,
  systemRandom,
} from '@rocketmq-ts/runtime/internal'
import { parseNameServers } from './name-servers.ts'

/** Access key and secret, signed into every request (ACL 1.0 and 2.0 over remoting). */
export interface ClientCredentials {
  accessKey: string
  secretKey: string
  /** Of temporary credentials. */
  securityToken?: string
}

/** TLS towards name servers and brokers; files are in PEM form. */
export type ClientTlsOptions = Omit<RemotingTlsOptions, 'disk'>

/** A fixed list, one text with `;` between addresses, or a function asked at start and every two minutes. */
export type NameServerSource = string | readonly string[] | (() => Promise<string | readonly string[]>)

/** What producers and consumers have in common. */
export interface ClientOptions {
  /** `host:port` of the name servers. Default: the environment variable NAMESRV_ADDR. */
  nameServers?: NameServerSource
  /** Second half of the client id. Default: process id and a number unique to this process or worker thread. */
  instanceName?: string
  /** First half of the client id, and the address inside message ids. Default: a non-loopback address of this host. */
  clientAddress?: string
  /** Tells apart clients of several clusters in one process; becomes part of the client id. */
  unitName?: string
  /** Marks this client's topics and groups as belonging to a unit. Default false. */
  unitMode?: boolean
  /** Wraps topics and groups as `namespace%name`; what the application sees stays unwrapped. */
  namespace?: string
  /** Sent beside names as header fields instead of wrapping them. */
  namespaceV2?: string
  /** Sends to the broker's second port (listen port - 2). Default false. */
  vipChannel?: boolean
  /** Speaks TLS. Default false. `true`: with defaults, which accept any certificate, as Java's do. */
  tls?: ClientTlsOptions | boolean
  credentials?: ClientCredentials
  /** How often routes are asked for again. Default 30000, at least 1000. */
  pollNameServerIntervalMs?: number
  /** How often brokers hear of this client. Default 30000, at least 1000; brokers forget after 120000. */
  heartbeatIntervalMs?: number
  /** Time-out of route questions, heartbeats and the like. Default 3000. */
  requestTimeoutMs?: number
  /** Default 3000. */
  connectTimeoutMs?: number
  /** Short heartbeats when nothing changed, to brokers that understand them (5.1 and later). Default false. */
  heartbeatV2?: boolean
  /** Silent by default. */
  logger?: Logger
}

/** The ports of a client; tests replace them. */
export interface ClientPorts {
  clock: Clock
  random: Random
  network: Network
  /** Environment variables; only NAMESRV_ADDR is read. */
  environment: Record<string, string | undefined>
}

/** {@link ClientOptions} with every default applied. */
export interface ResolvedClientOptions {
  readonly nameServers: readonly string[] | (() => Promise<string | readonly string[]>)
  readonly instanceName: string | undefined
  readonly clientAddress: string | undefined
  readonly unitName: string | undefined
  readonly unitMode: boolean
  readonly namespace: string | undefined
  readonly namespaceV2: string | undefined
  readonly vipChannel: boolean
  readonly tls: ClientTlsOptions | undefined
  readonly credentials: ClientCredentials | undefined
  readonly pollNameServerIntervalMs: number
  readonly heartbeatIntervalMs: number
  readonly requestTimeoutMs: number
  readonly connectTimeoutMs: number
  readonly heartbeatV2: boolean
  readonly logger: Logger
  readonly ports: ClientPorts
}

const optionTable: Record<keyof ClientOptions, true> = {
  nameServers: true,
  instanceName: true,
  clientAddress: true,
  unitName: true,
  unitMode: true,
  namespace: true,
  namespaceV2: true,
  vipChannel: true,
  tls: true,
  credentials: true,
  pollNameServerIntervalMs: true,
  heartbeatIntervalMs: true,
  requestTimeoutMs: true,
  connectTimeoutMs: true,
  heartbeatV2: true,
  logger: true,
}

/** Names of {@link ClientOptions}, for the check of unknown keys. */
export const clientOptionNames: readonly string[] = Object.keys(optionTable)

const systemPorts: ClientPorts = {
  clock: systemClock,
  random: systemRandom,
  network: nodeNetwork,
  environment: process.env,
}

/**
 * Applies defaults and checks ranges. The caller's object is neither changed nor kept.
 * Throws `INVALID_ARGUMENT` naming the option.
 */
export function resolveClientOptions(options: ClientOptions, ports: Partial<ClientPorts> = {}): ResolvedClientOptions {
  const allPorts = { ...systemPorts, ...ports }
  const nameServers = options.nameServers ?? allPorts.environment.NAMESRV_ADDR ?? []
  const parsed = typeof nameServers === 'function' ? undefined : parseNameServers(nameServers)
  return {
    nameServers: typeof nameServers === 'function' ? nameServers : parsed!.addresses,
    instanceName: optionalText('instanceName', options.instanceName),
    clientAddress: optionalText('clientAddress', options.clientAddress),
    unitName: optionalText('unitName', options.unitName),
    unitMode: options.unitMode ?? false,
    namespace: optionalText('namespace', options.namespace) ?? parsed?.namespace,
    namespaceV2: optionalText('namespaceV2', options.namespaceV2),
    vipChannel: options.vipChannel ?? false,
    tls: options.tls === true ? {} : options.tls ? { ...options.tls } : undefined,
    credentials: credentialsOf(options.credentials),
    pollNameServerIntervalMs: integerOption('pollNameServerIntervalMs', options.pollNameServerIntervalMs, 30_000, 1000),
    heartbeatIntervalMs: integerOption('heartbeatIntervalMs', options.heartbeatIntervalMs, 30_000, 1000),
    requestTimeoutMs: integerOption('requestTimeoutMs', options.requestTimeoutMs, 3000, 1),
    connectTimeoutMs: integerOption('connectTimeoutMs', options.connectTimeoutMs, 3000, 1),
    heartbeatV2: options.heartbeatV2 ?? false,
    logger: options.logger ?? silentLogger,
    ports: allPorts,
  }
}

function credentialsOf(credentials: ClientCredentials | undefined): ClientCredentials | undefined {
  if (credentials === undefined) return undefined
  if (typeof credentials.accessKey !== 'string' || typeof credentials.secretKey !== 'string') {
    throw new RocketMqError('INVALID_ARGUMENT', 'credentials need accessKey and secretKey, both texts')
  }
  return { ...credentials }
}

function optionalText(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string')
    throw new RocketMqError('INVALID_ARGUMENT', `${name} must be a text, not ${typeof value}`)
  return value
}

/** A whole number within [min, max], or `fallback` when absent. Throws `INVALID_ARGUMENT` naming the option. */
export function integerOption(
  name: string,
  value: number | undefined,
  fallback: number,
  min: number,
  max = 2_147_483_647,
): number {
  if (value === undefined) return fallback
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RocketMqError('INVALID_ARGUMENT', `${name} must be a whole number of ${min} to ${max}, not ${value}`)
  }
  return value
}

/**
 * Refuses keys that are no options, naming the nearest one: a misspelt option would otherwise silently do nothing.
 * Throws `INVALID_ARGUMENT`.
 */
export function refuseUnknownOptions(given: object, known: readonly string[]): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue
    const nearest = nearestName(key, known)
    throw new RocketMqError(
      'INVALID_ARGUMENT',
      `unknown option "${key}"${nearest ? `; did you mean "${nearest}"?` : ''}`,
    )
  }
}

function nearestName(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let bestDistance = Math.max(2, name.length / 3)
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance <= bestDistance) {
      best = candidate
      bestDistance = distance - 0.5
    }
  }
  return best
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substituted, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
