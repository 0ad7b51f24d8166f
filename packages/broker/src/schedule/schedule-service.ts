import { systemTopics } from '@rocketmq-ts/model'
import { type Clock, type Disk, type Logger, RateLimitedLog } from '@rocketmq-ts/runtime'
import type { MessageStore } from '@rocketmq-ts/store'
import { EntryReader } from '@rocketmq-ts/store/internal'
import type { BrokerOptions } from '../options.ts'
import type { BrokerStats } from '../stats/broker-stats.ts'
import { DelayOffsetFile } from './delay-offset-file.ts'
import { DelayOffsets } from './delay-offsets.ts'
import { DelayTable } from './delay-table.ts'
import { DeliveredRecord } from './delivered-record.ts'
import { LevelDelivery, type LevelDeps } from './level-delivery.ts'

/** What one turn of the event loop may spend on delayed messages, so that a burst doesn't hold up requests. */
const TURN_TIME_MS = 4
const TURN_BYTES = 2 * 1024 * 1024

export interface ScheduleDeps {
  readonly store: MessageStore
  readonly stats: BrokerStats
  readonly disk: Disk
  readonly clock: Clock
  readonly logger: Logger
  readonly options: BrokerOptions
}

/**
 * Delivers delayed messages when they are due: those that were sent with a delay level, and those that consumers gave back.
 * One level for each queue of the schedule topic, also for queues beyond a table of levels that has become shorter. Levels
 * with due messages take turns, some milliseconds in a turn of the event loop; one timer a level otherwise.
 *
 * A message is delivered again when the broker is killed before its level's offset is saved (10 s, as in Java), never lost.
 * Source: ScheduleMessageService, 5.3.x
 */
export class ScheduleService {
  readonly offsets: DelayOffsets
  readonly #store: MessageStore
  readonly #clock: Clock
  readonly #file: DelayOffsetFile
  readonly #log: RateLimitedLog
  readonly #levelDeps: LevelDeps
  readonly #levels = new Map<number, LevelDelivery>()
  /** With due messages, perhaps; in the order of their turns. */
  readonly #ready = new Set<LevelDelivery>()
  readonly #budget = { bytes: 0 }
  readonly #run = () => this.#runTurn()
  #isScheduled = false
  #state: 'new' | 'running' | 'stopped' = 'new'
  #onWritten: (() => void) | undefined

  /** Reads delayOffset.json. Throws `CONFIG_INVALID` when neither it nor its `.bak` can be read. */
  constructor(deps: ScheduleDeps) {
    const { store, stats, disk, clock, logger, options } = deps
    this.#store = store
    this.#clock = clock
    this.#log = new RateLimitedLog(clock, logger)
    this.offsets = new DelayOffsets(clock, options)
    const directory = `${options.storePathRootDir}/config`
    this.#file = new DelayOffsetFile({ offsets: this.offsets, store, disk, directory, clock, logger, options })
    this.#levelDeps = {
      store,
      clock,
      offsets: this.offsets,
      delays: new DelayTable(options),
      // One of its own: what is read here must not push out what consumers are reading.
      entries: new EntryReader(),
      record: new DeliveredRecord(),
      stats,
      log: this.#log,
      options,
      wake: level => this.#wake(level),
    }
    store.onWritten(offset => {
      for (const level of this.#levels.values()) level.onWritten(offset)
      this.#onWritten?.()
    })
    store.onFailure(offset => {
      for (const level of this.#levels.values()) level.onFailure(offset)
      this.#onWritten?.()
    })
    store.onArrival(queue => {
      if (queue.topic === systemTopics.schedule && this.#state === 'running') {
        this.#levelOf(queue.queueId + 1).onArrival()
      }
    })
  }

  /** Begins to deliver: at once what has become due meanwhile. */
  start(): void {
    this.#state = 'running'
    this.#correctOffsets()
    for (const queue of this.#store.queues()) {
      if (queue.topic === systemTopics.schedule) this.#wake(this.#levelOf(queue.queueId + 1))
    }
    this.#file.start()
  }

  /** Delivers nothing more. Resolves, never rejects, when what was delivered is written and the offsets are saved. */
  async close(): Promise<void> {
    if (this.#state !== 'running') return
    this.#state = 'stopped'
    for (const level of this.#levels.values()) level.stop()
    this.#ready.clear()
    await this.#allWritten()
    await this.#file.close()
  }

  #allWritten(): Promise<void> {
    const isWritten = () => ![...this.#levels.values()].some(level => level.hasUnwritten)
    if (isWritten()) return Promise.resolve()
    return new Promise(resolve => {
      this.#onWritten = () => {
        if (isWritten()) resolve()
      }
    })
  }

  /** Source: ScheduleMessageService#correctDelayOffset, 5.3.x */
  #correctOffsets(): void {
    for (const [level, offset] of this.offsets.entries()) {
      const minOffset = this.#store.minOffset(systemTopics.schedule, level - 1)
      const maxOffset = this.#store.maxOffset(systemTopics.schedule, level - 1)
      const corrected = Math.min(Math.max(offset, minOffset), maxOffset)
      if (corrected === offset) continue
      const fields = { level, offset, minOffset, maxOffset }
      this.#log.error(`start ${level}`, fields, 'the saved offset of a delay level is outside its queue, and corrected')
      this.offsets.set(level, corrected)
    }
  }

  #levelOf(level: number): LevelDelivery {
    let delivery = this.#levels.get(level)
    if (delivery === undefined) {
      const offset = this.offsets.get(level) ?? this.#store.minOffset(systemTopics.schedule, level - 1)
      delivery = new LevelDelivery(level, offset, this.#levelDeps)
      this.#levels.set(level, delivery)
    }
    return delivery
  }

  #wake(level: LevelDelivery): void {
    if (this.#state !== 'running') return
    this.#ready.add(level)
    this.#scheduleTurn()
  }

  #scheduleTurn(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#clock.setImmediate(this.#run)
  }

  #runTurn(): void {
    this.#isScheduled = false
    const deadlineMs = this.#clock.monotonic() + TURN_TIME_MS
    this.#budget.bytes = TURN_BYTES
    // A level that is added again while the set is walked comes last.
    for (const level of this.#ready) {
      this.#ready.delete(level)
      if (level.step(this.#budget)) this.#ready.add(level)
      if (this.#budget.bytes <= 0 || this.#clock.monotonic() >= deadlineMs) break
    }
    if (this.#ready.size > 0) this.#scheduleTurn()
  }
}
