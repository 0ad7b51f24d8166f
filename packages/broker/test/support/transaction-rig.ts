import {
  decodeStoredMessages,
  encodeProperties,
  findProperty,
  type StoredMessage,
  systemGroups,
  systemTopics,
  tagsCodeOf,
} from '@rocketmq-ts/model'
import { checkTransactionState, decodeHeader, RemotingCommand } from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'
import { seededRandom, silentLogger, TurnScheduler } from '@rocketmq-ts/runtime'
import { MessageStore } from '@rocketmq-ts/store'
import { SimClock, SimDisk } from '@rocketmq-ts/testing'
import { ProducerGroups } from '../../dist/client/producer-groups.js'
import { ConsumerOffsets } from '../../dist/offset/consumer-offsets.js'
import { keepOffsets, type OffsetFile } from '../../dist/offset/offset-file.js'
import { type BrokerOptions, createBrokerOptions } from '../../dist/options.js'
import { BrokerStats } from '../../dist/stats/broker-stats.js'
import { EndTransactionHandler } from '../../dist/transaction/end-transaction-handler.js'
import { TransactionService } from '../../dist/transaction/transaction-service.js'
import { fakeConnection } from './fake-connection.js'

export const COMMIT = 8
export const ROLLBACK = 12
const half = systemTopics.transactionHalf
const op = systemTopics.transactionOpHalf
const host = { address: Buffer.from([127, 0, 0, 1]), port: 10911 }

/** Where a half message is. */
export interface HalfPlace {
  queueOffset: number
  physicalOffset: number
}

/** A question of the broker to a producer. */
export interface Question extends HalfPlace {
  body: string
  message: StoredMessage
}

/** A store with its transactions, on a simulated disk and clock; it can be stopped, killed and unplugged. */
export class TransactionRig {
  readonly disk: SimDisk
  readonly options: BrokerOptions
  readonly producer = fakeConnection(1)
  clock = new SimClock()
  store!: MessageStore
  service!: TransactionService
  offsets!: ConsumerOffsets
  #handler!: EndTransactionHandler
  #producers!: ProducerGroups
  #offsetFile!: OffsetFile
  readonly topics: string[] = []
  /** Codes of the answers that came later. */
  readonly answers: boolean[] = []
  #asked = 0
  #keys = 0

  constructor(options: Partial<BrokerOptions> = {}, seed = 1) {
    this.disk = new SimDisk({ random: seededRandom(seed), now: () => this.clock.now() })
    this.options = createBrokerOptions({
      storePathRootDir: '/store',
      commitLogFileSizeBytes: 256 * 1024,
      consumeQueueFileSizeBytes: 2000,
      indexHashSlotCount: 100,
      indexEntryCount: 400,
      ...options,
    })
  }

  /** Opens the store and begins to ask, with a producer of group P online. */
  async start(): Promise<void> {
    const { clock, disk, options } = this
    const stats = new BrokerStats({ clock, options, isSystemTopic: () => false })
    const turn = new TurnScheduler(clock)
    const opening = MessageStore.open({
      disk,
      clock,
      turn,
      logger: silentLogger,
      directory: '/store',
      options,
      tuning: { tailChunkBytes: 16 * 1024, tailRetainedBytes: 64 * 1024 },
    })
    await clock.settle()
    this.store = await opening
    disk.makeDirectory('/store/config')
    this.offsets = new ConsumerOffsets(clock, silentLogger, options)
    const kept = { offsets: this.offsets, disk, directory: '/store/config', clock, logger: silentLogger, options }
    this.#offsetFile = keepOffsets(kept)
    this.#producers = new ProducerGroups(clock, silentLogger)
    this.online()
    const topics = { ensureBackTopic: (name: string) => void this.topics.push(name) }
    const deps = { store: this.store, producers: this.#producers, offsets: this.offsets, stats, clock, options }
    this.service = new TransactionService({
      ...deps,
      topics: topics as never,
      logger: silentLogger,
      storeHost: host,
      answer: (_command, _connection, isWritten) => void this.answers.push(isWritten),
    })
    this.#handler = new EndTransactionHandler({ ...deps, service: this.service })
    const starting = this.service.start()
    await clock.settle()
    await starting
  }

  online(): void {
    const connection = this.producer as unknown as Connection
    this.#producers.register('P', { connection, clientId: 'c', language: 'JAVA', version: 493 })
  }

  offline(): void {
    this.#producers.connectionClosed(this.producer as unknown as Connection)
  }

  /** Stops in order. */
  async stop(): Promise<void> {
    let isClosed = false
    const closing = this.service
      .close()
      .then(() => this.#offsetFile.close())
      .then(() => this.store.close())
      .then(() => {
        isClosed = true
      })
    while (!isClosed) await this.clock.settle()
    await closing
  }

  /** A next life: after a kill, or after power loss. */
  async restart(how: 'killed' | 'power lost'): Promise<void> {
    if (how === 'killed') this.disk.restart()
    else this.disk.restartAfterPowerLoss()
    this.clock = new SimClock(this.clock.now())
    await this.start()
  }

  async advance(ms: number): Promise<void> {
    this.clock.advance(ms)
    await this.clock.settle()
  }

  /** Stores a half message as a send does. */
  half(
    body: string,
    properties: Record<string, string> = {},
    bornTimestamp = this.clock.now(),
  ): HalfPlace & { end: number } {
    const uniqueKey = `K${++this.#keys}-${this.clock.now()}`
    const stored = {
      TRAN_MSG: 'true',
      PGROUP: 'P',
      UNIQ_KEY: uniqueKey,
      ...properties,
      REAL_TOPIC: 'T',
      REAL_QID: '0',
    }
    const result = this.store.append({
      topic: half,
      topicBytes: Buffer.from(half),
      queueId: 0,
      flag: 5,
      sysFlag: 0,
      bornTimestamp,
      bornHost: host,
      storeHost: host,
      reconsumeTimes: 0,
      preparedTransactionOffset: 0,
      body: Buffer.from(body),
      properties: encodeProperties(stored),
      tagsCode: tagsCodeOf(properties.TAGS),
      keys: properties.KEYS,
      uniqueKey,
    })
    return { queueOffset: result.queueOffset, physicalOffset: result.physicalOffset, end: result.endOffset }
  }

  /** END_TRANSACTION; the code of an answer that came at once. */
  async end(
    place: HalfPlace,
    commitOrRollback: number,
    fields: { group?: string; fromTransactionCheck?: boolean } = {},
  ): Promise<{ code: number; remark: string } | undefined> {
    const header = {
      topic: 'T',
      producerGroup: fields.group ?? 'P',
      tranStateTableOffset: place.queueOffset,
      commitLogOffset: place.physicalOffset,
      commitOrRollback,
      fromTransactionCheck: fields.fromTransactionCheck ?? false,
      msgId: '',
    }
    const command = new RemotingCommand(37, 'JAVA', 493, 1, 0, undefined, {}, undefined, 0)
    const outcome = this.#handler.handle(header as never, command, this.producer as unknown as Connection)
    if (outcome instanceof Promise) await this.clock.settle()
    return outcome
  }

  /** What the producer has been asked since the last time. */
  questions(): Question[] {
    return this.producer.oneways.slice(this.#asked).map(command => {
      this.#asked++
      const header = decodeHeader(checkTransactionState.request, command.extFields)
      const [message] = decodeStoredMessages(command.body!)
      return {
        queueOffset: header.tranStateTableOffset,
        physicalOffset: header.commitLogOffset,
        body: message!.body.toString(),
        message: message!,
      }
    })
  }

  async messages(topic: string): Promise<StoredMessage[]> {
    const messages: StoredMessage[] = []
    for (let offset = this.store.minOffset(topic, 0); offset < this.store.maxOffset(topic, 0); ) {
      const result = await this.store.getMessages({ topic, queueId: 0, offset, maxCount: 32 })
      messages.push(...decodeStoredMessages(Buffer.concat(result.parts)))
      offset = result.nextBeginOffset
    }
    return messages
  }

  /** Bodies that consumers see. */
  async bodies(topic = 'T'): Promise<string[]> {
    return (await this.messages(topic)).map(message => message.body.toString())
  }

  halves(): Promise<StoredMessage[]> {
    return this.messages(half)
  }

  /** What the op messages say. */
  ops(): Promise<string[]> {
    return this.bodies(op)
  }

  /** Offsets of CID_RMQ_SYS_TRANS: half and op. */
  positions(): [number, number] {
    const group = systemGroups.transaction
    return [this.offsets.query(group, half, 0), this.offsets.query(group, op, 0)]
  }
}

export const property = (message: StoredMessage | undefined, name: string) =>
  message === undefined ? undefined : findProperty(message.propertiesText, name)
