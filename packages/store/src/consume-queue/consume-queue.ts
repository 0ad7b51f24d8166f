import { assert, type Logger } from '@rocketmq-ts/runtime'
import type { SegmentedLog } from '../segment/segmented-log.ts'
import type { ConsumeQueueExt } from './consume-queue-ext.ts'
import { ENTRY_BYTES, ENTRY_INTS, setEntry } from './entries.ts'

/** Size field of the entries that fill a queue's first file before its first real one. */
export const PRE_BLANK_SIZE = 0x7fffffff

/** What all queues of a store share. */
export interface ConsumeQueueContext {
  readonly logger: Logger
  /** Entries kept in memory per queue, beyond those that must be; shrinks as queues grow in number. */
  recentEntriesMax: number
  /** Called when a queue gets its first entry that isn't in its file yet. */
  onDirty(queue: ConsumeQueue): void
  /** Called when entries couldn't be written outside of the flusher. */
  onWriteFailure(queue: ConsumeQueue, error: unknown): void
}

const noEntries = new Int32Array(0)
const scratch = new Int32Array(3276 * ENTRY_INTS)
const scratchBytes = Buffer.from(scratch.buffer)
const scratchEntries = Math.floor(scratch.length / ENTRY_INTS)

/**
 * One consume queue: where the messages of one (topic, queueId) lie in the commit log. Entry numbers are queue offsets.
 *
 * ```text
 *        in files only      |  in files and memory  |      in memory only       | of this turn
 *  min ─────────────────── recent ───────────── written ─────────────── settled ─────────── next
 *                                          visible ≤ settled
 * ```
 *
 * `next` moves with each append; `settled` when the records are written; `visible` (what readers are given) when they are
 * confirmed; `written` when the entries reach the file, in batches. The log is the truth: what isn't in the file when the process
 * dies is dispatched again.
 */
export class ConsumeQueue {
  readonly topic: string
  readonly queueId: number
  readonly log: SegmentedLog
  readonly ext: ConsumeQueueExt | undefined
  /** Java hash of `topic#`, with which the key index begins. */
  readonly topicHash: number
  /** First entry whose message is still in the log. */
  minOffset = 0
  /** What the next message gets. */
  nextOffset = 0
  settledOffset = 0
  /** Readers see entries below it: the queue's maximum offset. */
  visibleOffset = 0
  writtenOffset = 0
  /** Entries from `recentStart` to `nextOffset` are in memory. */
  recent: Int32Array = noEntries
  recentStart = 0
  /** End of the last dispatched record in the commit log. */
  maxPhysicalOffset = 0
  /** Number of the turn that last appended; equal to the store's while `nextOffset` isn't settled. */
  touchedTurn = 0
  isDirty = false
  /** Start, in the log, of the first record whose entry isn't written, and its store time. Valid while dirty. */
  dirtySincePhysicalOffset = 0
  dirtySinceTimestamp = 0
  /** Entries below it are on the device. */
  syncedOffset = 0
  readonly #context: ConsumeQueueContext
  #settledPhysicalOffset = 0

  constructor(
    context: ConsumeQueueContext,
    topic: string,
    queueId: number,
    topicHash: number,
    log: SegmentedLog,
    ext: ConsumeQueueExt | undefined,
  ) {
    this.#context = context
    this.topic = topic
    this.queueId = queueId
    this.topicHash = topicHash
    this.log = log
    this.ext = ext
  }

  /** The end of the queue, as readers see it. */
  get maxOffset(): number {
    return this.visibleOffset
  }

  /** Adds the entry of the record at `physicalOffset` as number `nextOffset`. */
  push(physicalOffset: number, size: number, tagsHigh: number, tagsLow: number, storeTimestamp: number): void {
    let index = this.nextOffset - this.recentStart
    if (index * ENTRY_INTS >= this.recent.length) {
      this.#makeRoom()
      index = this.nextOffset - this.recentStart
    }
    setEntry(this.recent, index, physicalOffset, size, tagsHigh, tagsLow)
    this.nextOffset++
    this.maxPhysicalOffset = physicalOffset + size
    if (!this.isDirty) {
      this.isDirty = true
      this.dirtySincePhysicalOffset = physicalOffset
      this.dirtySinceTimestamp = storeTimestamp
      this.#context.onDirty(this)
    }
  }

  /** Adds an entry that stands for a message which is nowhere: readers pass it by. */
  pushBlank(): void {
    const { maxPhysicalOffset } = this
    this.push(0, PRE_BLANK_SIZE, 0, 0, 0)
    this.maxPhysicalOffset = maxPhysicalOffset
  }

  /** The records of this turn are in the log. */
  settle(): void {
    this.settledOffset = this.nextOffset
    this.#settledPhysicalOffset = this.maxPhysicalOffset
  }

  /** The records of this turn couldn't be written: their numbers are free again. */
  rollBack(): void {
    this.nextOffset = this.settledOffset
    this.maxPhysicalOffset = this.#settledPhysicalOffset
  }

  /** Continues the numbers at `offset`: a recovered queue, or one rebuilt from the middle. All is written and visible. */
  startAt(offset: number, maxPhysicalOffset: number): void {
    this.nextOffset = offset
    this.settledOffset = offset
    this.visibleOffset = offset
    this.writtenOffset = offset
    this.syncedOffset = Math.min(this.syncedOffset, offset)
    this.recent = noEntries
    this.recentStart = offset
    this.maxPhysicalOffset = maxPhysicalOffset
    this.#settledPhysicalOffset = maxPhysicalOffset
    this.isDirty = false
  }

  /** Writes the settled entries to the file. Throws `DISK_FULL` or `DISK_FAILED`; what was written before counts. */
  writeEntries(): void {
    if (this.log.segments.length === 0) this.#writePreBlank()
    while (this.writtenOffset < this.settledOffset) {
      const count = Math.min(this.settledOffset - this.writtenOffset, scratchEntries)
      const from = (this.writtenOffset - this.recentStart) * ENTRY_INTS
      scratch.set(this.recent.subarray(from, from + count * ENTRY_INTS))
      const bytes = count * ENTRY_BYTES
      scratchBytes.subarray(0, bytes).swap32()
      this.log.writeSync(scratchBytes, 0, bytes, this.writtenOffset * ENTRY_BYTES)
      this.writtenOffset += count
    }
  }

  /** Called by the writer after `writeEntries`: gives memory back that an idle queue needn't hold. */
  trim(): void {
    const count = this.nextOffset - this.recentStart
    const keep = Math.min(count, Math.max(this.nextOffset - this.writtenOffset, this.#context.recentEntriesMax >>> 1))
    if (this.recent.length <= this.#context.recentEntriesMax * ENTRY_INTS) return
    this.#reallocate(keep, Math.max(keep * 2, 8))
  }

  /** Drops all entries from memory that are in the file. */
  forgetRecent(): void {
    const keep = this.nextOffset - this.writtenOffset
    if (keep === 0) {
      this.recent = noEntries
      this.recentStart = this.nextOffset
    } else {
      this.#reallocate(keep, keep)
    }
  }

  /**
   * The queue's first file begins before its first entry (rebuilt after a loss): the entries before are filled, so that a
   * reader can't take them for the end.
   */
  #writePreBlank(): void {
    const entriesPerFile = this.log.fileSizeBytes / ENTRY_BYTES
    let blank = this.writtenOffset % entriesPerFile
    if (blank === 0) return
    scratch.fill(0)
    for (let i = 0; i < scratchEntries; i++) scratch[i * ENTRY_INTS + 2] = PRE_BLANK_SIZE
    scratchBytes.swap32()
    let offset = this.writtenOffset - blank
    while (blank > 0) {
      const count = Math.min(blank, scratchEntries)
      this.log.writeSync(scratchBytes, 0, count * ENTRY_BYTES, offset * ENTRY_BYTES)
      offset += count
      blank -= count
    }
  }

  #makeRoom(): void {
    const capacity = this.recent.length / ENTRY_INTS
    const count = this.nextOffset - this.recentStart
    if (capacity >= this.#context.recentEntriesMax) {
      if (this.settledOffset - this.writtenOffset > capacity >>> 2) this.#tryWrite()
      const keep = Math.max(capacity >>> 1, this.nextOffset - this.writtenOffset)
      if (count - keep > capacity >>> 2) {
        this.#reallocate(keep, capacity)
        return
      }
    }
    this.#reallocate(count, Math.max(8, capacity * 2))
  }

  #tryWrite(): void {
    try {
      this.writeEntries()
    } catch (error) {
      this.#context.onWriteFailure(this, error)
    }
  }

  /** Keeps the newest `keep` entries, in an array for `capacity` of them. */
  #reallocate(keep: number, capacity: number): void {
    const start = this.nextOffset - keep
    assert(start <= this.writtenOffset, 'entries that are not in the file must stay in memory')
    const from = (start - this.recentStart) * ENTRY_INTS
    const to = (this.nextOffset - this.recentStart) * ENTRY_INTS
    if (capacity * ENTRY_INTS === this.recent.length) {
      this.recent.copyWithin(0, from, to)
    } else {
      const next = new Int32Array(capacity * ENTRY_INTS)
      next.set(this.recent.subarray(from, to))
      this.recent = next
    }
    this.recentStart = start
  }
}
