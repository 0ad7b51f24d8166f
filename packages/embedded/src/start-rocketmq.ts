import type { BrokerOptions } from '@rocketmq-ts/broker/internal'
import { type Logger, realDisk } from '@rocketmq-ts/runtime'
import { makeTemporaryDirectory } from './data-directory.ts'
import { type Standalone, startStandalone } from './standalone.ts'

/** How {@link startRocketMQ} starts; nothing needs to be given. */
export interface RocketMQOptions {
  /** Keep the messages here and leave them after `close`. Default: a temporary directory that `close` removes. */
  dataDirectory?: string
  /** Settings of the broker. */
  brokerConfig?: Partial<BrokerOptions>
  /** Silent by default. */
  logger?: Logger
}

/** A RocketMQ inside this process, for tests: `await using rocketmq = await startRocketMQ()`. */
export interface RocketMQ {
  /** For the `nameServers` option of clients: `127.0.0.1:port`. */
  readonly nameServers: string
  /** `127.0.0.1:port` of the broker. */
  readonly brokerAddress: string
  readonly dataDirectory: string
  /** Stops broker and name server, and removes the temporary directory. No timer, socket or file is left. Idempotent. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a name server and a real broker on free ports of 127.0.0.1. Resolves, well within a second, when clients can
 * send. Rejects as {@link startStandalone} does.
 */
export async function startRocketMQ(options: RocketMQOptions = {}): Promise<RocketMQ> {
  const dataDirectory = options.dataDirectory ?? makeTemporaryDirectory(realDisk)
  const isTemporary = options.dataDirectory === undefined
  const remove = () => {
    if (isTemporary) realDisk.removeDirectory(dataDirectory)
  }
  try {
    const standalone = await startStandalone({
      dataDirectory,
      namesrvPort: 0,
      brokerPort: 0,
      ...(options.brokerConfig === undefined ? {} : { brokerConfig: options.brokerConfig }),
      ...(options.logger === undefined ? {} : { logger: options.logger }),
    })
    return new EmbeddedRocketMQ(standalone, remove)
  } catch (error) {
    remove()
    throw error
  }
}

class EmbeddedRocketMQ implements RocketMQ {
  readonly nameServers: string
  readonly brokerAddress: string
  readonly dataDirectory: string
  readonly #standalone: Standalone
  readonly #remove: () => void
  #closing: Promise<void> | undefined

  constructor(standalone: Standalone, remove: () => void) {
    this.#standalone = standalone
    this.#remove = remove
    this.nameServers = standalone.namesrvAddress
    this.brokerAddress = standalone.brokerAddress
    this.dataDirectory = standalone.dataDirectory
  }

  close(): Promise<void> {
    this.#closing ??= this.#standalone.close().finally(this.#remove)
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
