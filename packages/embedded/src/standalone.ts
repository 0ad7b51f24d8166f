import { join } from 'node:path'
import {
  type Broker,
  BrokerConfiguration,
  type BrokerOptions,
  createBrokerOptions,
  startBroker,
} from '@rocketmq-ts/broker/internal'
import { type Namesrv, startNamesrv } from '@rocketmq-ts/namesrv'
import { joinAddress, type ServerTlsOptions } from '@rocketmq-ts/remoting'
import {
  BackedUpFile,
  type Disk,
  type Logger,
  nodeNetwork,
  realDisk,
  silentLogger,
  systemClock,
  systemRandom,
} from '@rocketmq-ts/runtime'
import { fileSizesFor } from './data-directory.ts'

/** How {@link startStandalone} starts. */
export interface StandaloneOptions {
  /** The broker's store directory; made when absent. May be one of the Java broker. */
  dataDirectory: string
  /** Address under which clients reach name server and broker. Default 127.0.0.1. */
  host?: string
  /** Address to listen on. Default: `host` when it is a loopback address, else all addresses. */
  bindAddress?: string
  /** Default 9876; 0 takes a free one. */
  namesrvPort?: number
  /** Default 10911; 0 takes a free one. */
  brokerPort?: number
  /** Settings of the broker, above the small defaults of {@link standaloneBrokerConfig}. */
  brokerConfig?: Partial<BrokerOptions>
  /** Keys of a configuration file that mean nothing, to be shown and kept. */
  unknownEntries?: ReadonlyMap<string, string>
  /** Default: plain and TLS on each port, with a certificate that signs itself. */
  tls?: ServerTlsOptions
  /** Silent by default. */
  logger?: Logger
  /** Where files are; the real disk by default. */
  disk?: Disk
}

/** A name server and a broker that run in this process. */
export interface Standalone {
  /** `host:port`, for clients. */
  readonly namesrvAddress: string
  /** `host:port`. */
  readonly brokerAddress: string
  readonly dataDirectory: string
  readonly broker: Broker
  readonly namesrv: Namesrv
  /** Stops both cleanly; resolves when ports and directory are free. Idempotent. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Where a standalone broker differs from the broker's own defaults: small files, made for a laptop; and a disk that is
 * nearly full, as laptops' disks are, doesn't stop it, nor cost it messages, while there is room for a few files.
 */
export function standaloneBrokerConfig(disk: Disk, dataDirectory: string): Partial<BrokerOptions> {
  return {
    brokerName: 'broker-a',
    diskMaxUsedSpacePercent: 95,
    diskSpaceAmpleBytes: 256 * 1024 * 1024,
    ...fileSizesFor(disk, dataDirectory),
  }
}

/**
 * Starts a name server and a broker that registers with it. Resolves when clients can find the broker through the name
 * server. Rejects with `STORE_LOCKED` when another process uses the directory, `ADDRESS_IN_USE`, `CONFIG_INVALID`,
 * `STORE_CORRUPT` or `DISK_FAILED`; then nothing is left running.
 */
export async function startStandalone(options: StandaloneOptions): Promise<Standalone> {
  const { dataDirectory, disk = realDisk, logger = silentLogger, host = '127.0.0.1', tls } = options
  const bindAddress = options.bindAddress ?? bindAddressFor(host)
  const shared = { network: nodeNetwork, clock: systemClock, disk, ...(tls === undefined ? {} : { tls }) }
  disk.makeDirectory(dataDirectory)
  const namesrv = await startNamesrv({
    ...shared,
    logger: logger.child({ part: 'namesrv' }),
    host: bindAddress,
    port: options.namesrvPort ?? 9876,
    kvConfigPath: join(dataDirectory, 'namesrv', 'kvConfig.json'),
  })
  try {
    const namesrvAddress = joinAddress(host, namesrv.port)
    const brokerOptions = brokerOptionsOf(options, disk, host, bindAddress, namesrvAddress)
    const brokerLogger = logger.child({ part: 'broker' })
    const broker = await startBroker({
      ...shared,
      random: systemRandom,
      logger: brokerLogger,
      options: brokerOptions,
      configuration: configurationOf(brokerOptions, options, disk, brokerLogger),
    })
    await broker.registered
    return new RunningStandalone(namesrv, broker, namesrvAddress, dataDirectory)
  } catch (error) {
    await namesrv.close()
    throw error
  }
}

function brokerOptionsOf(
  options: StandaloneOptions,
  disk: Disk,
  host: string,
  bindAddress: string,
  namesrvAddress: string,
): BrokerOptions {
  return createBrokerOptions({
    ...standaloneBrokerConfig(disk, options.dataDirectory),
    brokerIp1: host,
    brokerIp2: host,
    bindAddress,
    ...options.brokerConfig,
    // Only its own name server: settings copied from a cluster must not make this broker part of it.
    nameServers: namesrvAddress,
    ...(options.brokerPort === undefined ? {} : { listenPort: options.brokerPort }),
    storePathRootDir: options.dataDirectory,
  })
}

function configurationOf(
  options: BrokerOptions,
  { unknownEntries }: StandaloneOptions,
  disk: Disk,
  logger: Logger,
): BrokerConfiguration {
  const path = options.brokerConfigPath
  return new BrokerConfiguration({
    options,
    clock: systemClock,
    logger,
    ...(unknownEntries === undefined ? {} : { unknownEntries }),
    ...(path === undefined ? {} : { file: new BackedUpFile(disk, path) }),
  })
}

/** A loopback address itself, else all of its family. */
function bindAddressFor(host: string): string {
  const bare = host.replace(/^\[|\]$/g, '')
  if (bare.startsWith('127.') || bare === 'localhost' || bare === '::1') return bare
  return bare.includes(':') ? '::' : '0.0.0.0'
}

class RunningStandalone implements Standalone {
  readonly namesrvAddress: string
  readonly brokerAddress: string
  readonly dataDirectory: string
  readonly broker: Broker
  readonly namesrv: Namesrv
  #closing: Promise<void> | undefined

  constructor(namesrv: Namesrv, broker: Broker, namesrvAddress: string, dataDirectory: string) {
    this.namesrv = namesrv
    this.broker = broker
    this.namesrvAddress = namesrvAddress
    this.brokerAddress = broker.address
    this.dataDirectory = dataDirectory
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    // The broker takes leave of the name server, so that one goes last.
    try {
      await this.broker.close()
    } finally {
      await this.namesrv.close()
    }
  }
}
