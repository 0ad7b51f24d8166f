import { systemTopics } from '@rocketmq-ts/model'
import type { Clock, RateLimitedLog, Timer } from '@rocketmq-ts/runtime'
import type { ConsumeQueue, MessageStore, PutStatus } from '@rocketmq-ts/store'
import type { EntryReader, EntryWindow } from '@rocketmq-ts/store/internal'
import type { BrokerStats } from '../stats/broker-stats.ts'
import type { DelayOffsets } from './delay-offsets.ts'
import type { DelayTable } from './delay-table.ts'
import type { DeliveredRecord } from './delivered-record.ts'
import { BATCH_ENTRIES_MAX, type DueBatch, dueEntries, nextFileOffset } from './level-queue.ts'

/** A level looks at the wall clock at least so often while a message waits, to notice a clock that is set forward. */
const SLEEP_MAX_MS = 1000
/** Until a store that doesn't take messages, or a read that failed, is tried again. */
const PAUSE_MS = 1000
/** Attempts with a message that can't be read, before those behind it are let past. */
const ATTEMPTS_MAX = 3

/** The store takes no message at all at the moment. */
const STORE_REFUSES = 'the store refuses every message'

/** What levels share. */
export interface LevelDeps {
  readonly store: Pick<MessageStore, 'append' | 'queue' | 'recordsAt' | 'storeTimeOf' | 'state' | 'watermarks'>
  readonly clock: Clock
  readonly offsets: DelayOffsets
  readonly delays: DelayTable
  readonly entries: EntryReader
  readonly record: DeliveredRecord
  readonly stats: Pick<BrokerStats, 'addPut' | 'addBrokerPut' | 'addDelivered'>
  readonly log: RateLimitedLog
  /** Read live. */
  readonly options: { readonly brokerRole: string; readonly enableScheduleMessageStats: boolean }
  /** Has {@link LevelDelivery.step} called in a coming turn. */
  readonly wake: (level: LevelDelivery) => void
}

/** What the levels may still do in this turn of the event loop. */
export interface TurnBudget {
  bytes: number
}

interface LoadedBatch {
  readonly batch: DueBatch
  readonly records: readonly (Buffer | undefined)[]
}

/**
 * Delivers the messages of one delay level.
 *
 * ```text
 *  queue:  min ──────── delivered ──────── next ──────── due ──────── max
 *             done: written   |  appended,  |  this step   |  its timer, one
 *             and saved       |  this turn  |              |  for the level
 * ```
 *
 * `delivered` is what delayOffset.json gets; it follows `next` when the store has written what was appended, and `next` goes
 * back to it when that failed. At rest a level has either a timer, a read under way, or nothing to do until a message comes.
 * Source: ScheduleMessageService.DeliverDelayedMessageTimerTask#executeOnTimeUp, 5.3.x
 */
export class LevelDelivery {
  readonly level: number
  readonly #deps: LevelDeps
  #nextOffset: number
  #deliveredOffset: number
  /** End, in the log, of what was appended last; 0 before. */
  #endOffset = 0
  #timer: Timer | undefined
  #isReading = false
  #isStopped = false
  #loaded: LoadedBatch | undefined
  /** Failed attempts with the message at `next`. */
  #attempts = 0
  /** Messages to be taken one by one, to find the one that fails. */
  #singly = 0

  constructor(level: number, offset: number, deps: LevelDeps) {
    this.level = level
    this.#nextOffset = offset
    this.#deliveredOffset = offset
    this.#deps = deps
  }

  /** True while appended messages aren't written. */
  get hasUnwritten(): boolean {
    return this.#endOffset > this.#deps.store.watermarks.written
  }

  /** A message has come; of interest to a level that waits for nothing else. */
  onArrival(): void {
    if (this.#timer === undefined && !this.#isReading) this.#deps.wake(this)
  }

  /** The log is written up to `offset`. */
  onWritten(offset: number): void {
    if (this.#endOffset <= offset && this.#deliveredOffset !== this.#nextOffset) this.#settle()
  }

  /** What was appended from `offset` on is lost. */
  onFailure(offset: number): void {
    if (this.#endOffset <= offset) return
    this.#nextOffset = this.#deliveredOffset
    this.#endOffset = 0
    this.#sleep(PAUSE_MS)
  }

  /** Delivers nothing more. */
  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** Delivers some of what is due. True when there may be more; else the level will wake itself. Never throws. */
  step(budget: TurnBudget): boolean {
    if (this.#isStopped || this.#isReading) return false
    this.#timer?.cancel()
    this.#timer = undefined
    const { store, options } = this.#deps
    if (store.state !== 'running' || options.brokerRole === 'SLAVE') return this.#sleep(PAUSE_MS)
    try {
      return this.#deliverSome(budget)
    } catch (error) {
      return this.#failed(error)
    }
  }

  /** As {@link LevelDelivery.step}; throws what isn't the fault of a message. */

  #deliverSome(budget: TurnBudget): boolean {
    const { store } = this.#deps
    const loaded = this.#loaded
    this.#loaded = undefined
    if (loaded?.batch.firstOffset === this.#nextOffset) return this.#deliver(loaded, budget)
    const queue = store.queue(systemTopics.schedule, this.level - 1)
    // The schedule topic is never one of batches.
    if (queue === undefined || !('recentStart' in queue)) return false
    this.#stayInside(queue)
    if (this.#nextOffset >= queue.maxOffset) return false
    const batch = this.#nextBatch(queue)
    if (typeof batch === 'boolean') return batch
    const records = store.recordsAt(batch.physicalOffsets, batch.sizes)
    if (!(records instanceof Promise)) return this.#deliver({ batch, records }, budget)
    const keep = (read: readonly (Buffer | undefined)[]) => {
      this.#loaded = { batch, records: read }
    }
    return this.#read(records, keep, error => this.#failedMessage(error))
  }

  /** What is due; a boolean, as from `step`, when nothing is or the queue must be read first. */
  #nextBatch(queue: ConsumeQueue): DueBatch | boolean {
    const { clock, delays, entries, offsets, store } = this.#deps
    const window = entries.window(queue, this.#nextOffset)
    if (window instanceof Promise) {
      const check = (read: EntryWindow) => {
        if (read.count <= 0) this.#passHole(queue)
      }
      return this.#read(window, check, error => this.#failed(error))
    }
    const storeTimeOf = (offset: number) => store.storeTimeOf(queue.topic, queue.queueId, offset)
    const entriesMax = this.#singly > 0 ? 1 : window.count
    const due = dueEntries(queue, window, clock.now(), delays.delayOf(this.level), entriesMax, storeTimeOf)
    if (due.batch !== undefined) return due.batch
    offsets.set(this.level, this.#deliveredOffset)
    return this.#sleep(Math.min(due.waitMs, SLEEP_MAX_MS))
  }

  #deliver({ batch, records }: LoadedBatch, budget: TurnBudget): boolean {
    const { stats, options } = this.#deps
    const before = budget.bytes
    let delivered = 0
    let isAccepted = true
    try {
      for (let i = 0; i < records.length && isAccepted; i++) {
        const problem = this.#store(records[i], budget)
        if (problem === undefined) delivered++
        else if (problem === STORE_REFUSES) isAccepted = false
        else this.#skip(batch.physicalOffsets[i]!, problem)
      }
    } catch (error) {
      return this.#failedMessage(error)
    }
    this.#attempts = 0
    if (this.#singly > 0) this.#singly--
    if (delivered > 0 && options.enableScheduleMessageStats) {
      stats.addDelivered(this.level - 1, delivered, before - budget.bytes)
    }
    if (!this.hasUnwritten) this.#settle()
    return isAccepted ? true : this.#sleep(PAUSE_MS)
  }

  /** Stores the message at `next`; why not, when that can't be done. */
  #store(stored: Buffer | undefined, budget: TurnBudget): string | undefined {
    const { store, record, stats, options } = this.#deps
    if (stored === undefined) return 'it is no longer in the log'
    const problem = record.take(stored)
    if (problem !== undefined) return problem
    const result = store.append(record.record)
    const { status } = result
    if (status !== 'PUT_OK') return isOfMessage(status) ? `the store refuses it: ${status}` : STORE_REFUSES
    const bytes = result.endOffset - result.physicalOffset
    this.#endOffset = result.endOffset
    this.#nextOffset++
    budget.bytes -= bytes
    if (options.enableScheduleMessageStats) {
      const { topic, queueId } = record.record
      stats.addPut(topic, 1, bytes, queueId)
      stats.addBrokerPut(topic, 1)
    }
    return undefined
  }

  /** Lets the messages behind one pass that can't be delivered. */
  #skip(physicalOffset: number, problem: string): void {
    const { level } = this
    const queueOffset = this.#nextOffset++
    this.#deps.log.error(
      `skip ${level}`,
      { level, queueOffset, physicalOffset, problem },
      'a delayed message is not delivered',
    )
  }

  /** Everything up to `next` is written. */
  #settle(): void {
    this.#deliveredOffset = this.#nextOffset
    this.#deps.offsets.set(this.level, this.#deliveredOffset)
  }

  /** Messages may have been deleted before they were due, and a queue may have lost its end. */
  #stayInside(queue: ConsumeQueue): void {
    const { minOffset, maxOffset } = queue
    const offset = Math.min(Math.max(this.#nextOffset, minOffset), maxOffset)
    if (offset === this.#nextOffset || this.hasUnwritten) return
    const fields = { level: this.level, offset: this.#nextOffset, minOffset, maxOffset }
    this.#deps.log.error(
      `range ${this.level}`,
      fields,
      'the offset of a delay level is outside its queue, and corrected',
    )
    this.#nextOffset = offset
    this.#settle()
  }

  #passHole(queue: ConsumeQueue): void {
    const offset = Math.min(nextFileOffset(queue, this.#nextOffset), queue.maxOffset)
    const fields = { level: this.level, from: this.#nextOffset, to: offset }
    this.#deps.log.error(
      `hole ${this.level}`,
      fields,
      'a file of a schedule queue is gone; its messages are not delivered',
    )
    this.#nextOffset = offset
    if (!this.hasUnwritten) this.#settle()
  }

  /** Waits for a read; what it brings is used in the next step. */
  #read<T>(reading: Promise<T>, use: (read: T) => void, onError: (error: unknown) => void): false {
    this.#isReading = true
    reading.then(
      read => {
        this.#isReading = false
        if (this.#isStopped) return
        use(read)
        this.#deps.wake(this)
      },
      error => {
        this.#isReading = false
        onError(error)
      },
    )
    return false
  }

  /** Some message of a batch can't be read or stored: it is looked for, and given up after some attempts. */
  #failedMessage(error: unknown): false {
    this.#singly = BATCH_ENTRIES_MAX
    if (++this.#attempts <= ATTEMPTS_MAX) return this.#failed(error)
    this.#skip(-1, String(error))
    this.#attempts = 0
    return this.#sleep(0)
  }

  #failed(error: unknown): false {
    const { level } = this
    const fields = { level, offset: this.#nextOffset, err: error }
    this.#deps.log.error(`failed ${level}`, fields, 'delayed messages could not be delivered yet')
    return this.#sleep(PAUSE_MS)
  }

  #sleep(delayMs: number): false {
    if (this.#isStopped) return false
    this.#timer?.cancel()
    const onTime = () => {
      this.#timer = undefined
      this.#deps.wake(this)
    }
    this.#timer = this.#deps.clock.setTimeout(onTime, delayMs, { unref: true })
    return false
  }
}

/** Whether the store can't take this message, rather than any. */
function isOfMessage(status: PutStatus): boolean {
  return status === 'MESSAGE_ILLEGAL' || status === 'PROPERTIES_SIZE_EXCEEDED' || status === 'UNKNOWN_ERROR'
}
