import { decodeStoredMessages, encodeProperties, type StoredMessage, systemTopics } from '@rocketmq-ts/model'
import { seededRandom, silentLogger, TurnScheduler } from '@rocketmq-ts/runtime'
import { MessageStore } from '@rocketmq-ts/store'
import { SimClock, SimDisk } from '@rocketmq-ts/testing'
import { type BrokerOptions, createBrokerOptions } from '../../dist/options.js'
import { ScheduleService } from '../../dist/schedule/schedule-service.js'
import { BrokerStats } from '../../dist/stats/broker-stats.js'

/** A message to be delayed. */
export interface Delayed {
  level: number
  topic?: string
  queueId?: number
  body?: string | Buffer
  properties?: Record<string, string>
}

const host = { address: Buffer.from([127, 0, 0, 1]), port: 10911 }

/** A clock whose wall time can be set apart from the time that passes. */
class WallClock extends SimClock {
  skewMs = 0

  override now(): number {
    return super.now() + this.skewMs
  }
}

/** A store with what delivers its delayed messages, on a simulated disk and clock; it can be stopped, killed and unplugged. */
export class ScheduleRig {
  readonly disk: SimDisk
  readonly options: BrokerOptions
  readonly errors: { fields: Record<string, unknown>; message: string }[] = []
  clock: WallClock
  store!: MessageStore
  service!: ScheduleService
  stats!: BrokerStats
  /** Takes the place of what the service uses of the store. */
  intercept: Partial<Pick<MessageStore, 'recordsAt' | 'append'>> = {}

  constructor(options: Partial<BrokerOptions> = {}, seed = 1) {
    const random = seededRandom(seed)
    this.clock = new WallClock()
    this.disk = new SimDisk({ random, now: () => this.clock.now() })
    this.options = createBrokerOptions({
      storePathRootDir: '/store',
      commitLogFileSizeBytes: 256 * 1024,
      consumeQueueFileSizeBytes: 2000,
      indexHashSlotCount: 100,
      indexEntryCount: 400,
      ...options,
    })
  }

  /** Opens the store and begins to deliver. */
  async start(): Promise<void> {
    const { clock, disk, options } = this
    const logger = {
      ...silentLogger,
      error: (fields: object, message: string) =>
        void this.errors.push({ fields: fields as Record<string, unknown>, message }),
    }
    const turn = new TurnScheduler(clock)
    this.stats = new BrokerStats({ clock, options, isSystemTopic: () => false })
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
    const store = new Proxy(this.store, {
      get: (target, name) => {
        const value = Reflect.get(this.intercept, name) ?? Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    this.service = new ScheduleService({ store, stats: this.stats, disk, clock, logger, options })
    this.service.start()
    await clock.settle()
  }

  /** Stops in order. */
  async stop(): Promise<void> {
    let isClosed = false
    const closing = this.service
      .close()
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
    // What the last life planned is not to happen.
    this.clock = new WallClock(this.clock.now())
    await this.start()
  }

  /** Lets time pass, and what is due be done. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms)
    await this.clock.settle()
  }

  /** Stores a message as a send with DELAY does, without waiting. */
  delay({ level, topic = 'T', queueId = 0, body = 'body', properties = {} }: Delayed): number {
    const stored = { ...properties, DELAY: String(level), REAL_TOPIC: topic, REAL_QID: String(queueId) }
    return this.store.append({
      topic: systemTopics.schedule,
      topicBytes: Buffer.from(systemTopics.schedule),
      queueId: level - 1,
      flag: 0,
      sysFlag: 0,
      bornTimestamp: this.clock.now() - 3,
      bornHost: host,
      storeHost: host,
      reconsumeTimes: 0,
      preparedTransactionOffset: 0,
      body: Buffer.from(body),
      properties: encodeProperties(stored),
      tagsCode: 0,
      keys: properties.KEYS,
      uniqueKey: properties.UNIQ_KEY,
    }).endOffset
  }

  /** What consumers see of a queue. */
  async delivered(topic = 'T', queueId = 0): Promise<StoredMessage[]> {
    const messages: StoredMessage[] = []
    for (let offset = this.store.minOffset(topic, queueId); offset < this.store.maxOffset(topic, queueId); ) {
      const result = await this.store.getMessages({ topic, queueId, offset, maxCount: 32 })
      messages.push(...decodeStoredMessages(Buffer.concat(result.parts)))
      offset = result.nextBeginOffset
    }
    return messages
  }

  /** Their bodies. */
  async bodies(topic = 'T', queueId = 0): Promise<string[]> {
    return (await this.delivered(topic, queueId)).map(message => message.body.toString())
  }

  /** The text of delayOffset.json. */
  savedOffsets(): string | undefined {
    return this.disk.readFile('/store/config/delayOffset.json')?.toString().replaceAll(/\s/g, '')
  }
}
