import type { Timer } from '@rocketmq-ts/runtime'
import type { ResumePoint, ResumePosition } from './checkpoint.ts'
import type { Appender } from './commit-log/appender.ts'
import type { ConsumeQueue } from './consume-queue/consume-queue.ts'
import type { IndexFile } from './index/index-file.ts'
import type { StoreCore } from './store-core.ts'
import type { TurnWriter } from './turn-writer.ts'

/** Queues and index are written in slices, so many a round of `flushIntervalConsumeQueue`. */
const SLICES = 10
const SLICE_QUEUES_MIN = 64
/** Slot pages of the index per slice: 305 pages of a full-sized file take some 8 s. */
const SLICE_INDEX_PAGES = 4
const CHECKPOINT_PERIOD_MS = 1000
const PAGE_BYTES = 4096

/** Everything that is brought to disk later than the messages: timed flush of the log, queues, index and checkpoint. */
export class Maintenance {
  readonly #core: StoreCore
  readonly #appender: Appender
  readonly #writer: TurnWriter
  readonly #timers: Timer[] = []
  readonly #unsyncedQueues = new Set<ConsumeQueue>()
  #durable: ResumePosition
  #durableEntries: number
  #recoveredScanOffset: number
  #lastFlushMs: number
  #isSyncing = false
  #isStopped = false

  /** `scanOffset` and `durable` are what recovery found. */
  constructor(core: StoreCore, appender: Appender, writer: TurnWriter, scanOffset: number, durable: ResumePosition) {
    this.#core = core
    this.#appender = appender
    this.#writer = writer
    this.#recoveredScanOffset = scanOffset
    this.#durable = durable
    this.#durableEntries = core.checkpoint.resumePoint?.durableEntries ?? -1
    this.#lastFlushMs = core.clock.monotonic()
  }

  /** A queue was written by {@link StoreCore.queueWriter}. */
  noteWritten(queue: ConsumeQueue): void {
    this.#unsyncedQueues.add(queue)
  }

  start(): void {
    const { clock, options } = this.#core
    const every = (periodMs: number, run: () => void) => {
      this.#timers.push(clock.setInterval(run, Math.max(1, Math.floor(periodMs)), { unref: true }))
    }
    every(options.flushIntervalConsumeQueueMs / SLICES, () => this.#writeSlice())
    every(options.flushIntervalCommitLogMs, () => this.#flushLog())
    every(CHECKPOINT_PERIOD_MS, () => this.#saveCheckpoint())
    every(options.flushConsumeQueueThoroughIntervalMs, () => void this.syncEverything())
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of this.#timers) timer.cancel()
    this.#timers.length = 0
  }

  /** Where a recovery may begin as long as the page cache lives. */
  writtenPosition(): ResumePosition {
    const { commitLog, queueWriter, watermarks } = this.#core
    const oldest = queueWriter.oldest()
    const offset = Math.min(watermarks.written, oldest?.dirtySincePhysicalOffset ?? Number.POSITIVE_INFINITY)
    let scanOffset = Math.min(this.#recoveredScanOffset, offset)
    // The start of a chunk is the start of a record; the last but one leaves something to verify.
    const { chunks } = commitLog.tail
    const candidate = chunks[Math.max(0, chunks.length - 2)]
    if (candidate !== undefined && candidate.written > 0 && candidate.baseOffset <= offset) {
      scanOffset = Math.max(scanOffset, candidate.baseOffset)
    }
    return { offset, scanOffset }
  }

  /**
   * Brings log, queues and index to the device, and then the checkpoint, which says so. Resolves when done; a failure is reported to the
   * store and leaves the checkpoint as it was.
   */
  async syncEverything(): Promise<void> {
    if (this.#isSyncing || this.#isStopped) return
    this.#isSyncing = true
    try {
      await this.#syncAll()
      this.#saveCheckpoint()
    } finally {
      this.#isSyncing = false
    }
  }

  /** The last step of a clean stop: everything on the device, and a checkpoint that says "clean". */
  async finish(): Promise<boolean> {
    while (this.#isSyncing) await new Promise<void>(resolve => this.#core.clock.setImmediate(resolve))
    const position = await this.#syncAll()
    if (position === undefined) return false
    const { index } = this.#core
    return this.#guard('the checkpoint could not be written', () => {
      index?.writeAllSlots()
      this.#setTimestamps()
      this.#core.checkpoint.saveDurably(this.#resumePoint())
    })
  }

  /** A queue was removed: until the next sync of everything, a recovery after power loss reads the whole log. */
  forgetDurable(): void {
    this.#durableEntries = -1
    this.#saveCheckpoint()
  }

  /** Saves the checkpoint now; used once after recovery, so that a crash finds our resume point from the start. */
  saveFirst(): void {
    this.#saveCheckpoint()
  }

  #writeSlice(): void {
    const { index, queueWriter } = this.#core
    const count = Math.max(SLICE_QUEUES_MIN, Math.ceil(queueWriter.waitingCount / SLICES))
    this.#guard('consume queues could not be written', () => queueWriter.writeSome(count))
    this.#guard('the key index could not be written', () => {
      index?.writeEntries()
      for (const file of index?.writeSlots(SLICE_INDEX_PAGES) ?? []) void this.#completeIndexFile(file)
    })
  }

  async #completeIndexFile(file: IndexFile): Promise<void> {
    try {
      await file.sync()
      file.forgetSlots()
      this.#core.checkpoint.indexMsgTimestamp = file.endTimestamp
    } catch (error) {
      this.#writer.reportWriteFailure('an index file could not be synced', error)
    }
  }

  #flushLog(): void {
    const { clock, options, watermarks } = this.#core
    const dirty = watermarks.written - watermarks.flushed
    if (dirty === 0) return
    const now = clock.monotonic()
    const isThorough = now - this.#lastFlushMs >= options.flushCommitLogThoroughIntervalMs
    if (dirty < options.flushCommitLogLeastPages * PAGE_BYTES && !isThorough) return
    this.#lastFlushMs = now
    this.#writer.groupCommit.request(watermarks.written)
    this.#writer.groupCommit.pump()
  }

  /** The position up to which all is on the device; undefined after a failure, which is reported. */
  async #syncAll(): Promise<ResumePosition | undefined> {
    const { index, queueWriter } = this.#core
    const isWritten = this.#guard('consume queues could not be written', () => {
      queueWriter.writeAll()
      index?.writeEntries()
    })
    if (!isWritten) return undefined
    const position = this.writtenPosition()
    // Entries of a turn that isn't over keep the position from being the end, and can't be told from the others.
    const entries = queueWriter.waitingCount === 0 ? countEntries(this.#core) : -1
    const queues = [...this.#unsyncedQueues]
    this.#unsyncedQueues.clear()
    try {
      await this.#writer.groupCommit.flushWritten()
      for (const queue of queues) await syncQueue(queue)
      await index?.files[index.files.length - 1]?.sync()
    } catch (error) {
      this.#writer.reportWriteFailure('consume queues or index could not be synced', error)
      return undefined
    }
    if (this.#core.watermarks.flushed < position.offset) return undefined
    this.#durable = position
    this.#durableEntries = entries
    return position
  }

  #saveCheckpoint(): void {
    this.#guard('the checkpoint could not be written', () => {
      this.#core.index?.writeEntries()
      this.#setTimestamps()
      this.#core.checkpoint.save(this.#resumePoint())
    })
  }

  /** Java's timestamps, said only of what is in the files of all queues. */
  #setTimestamps(): void {
    const { checkpoint, queueWriter } = this.#core
    const oldest = queueWriter.oldest()
    const newest = this.#appender.lastStoreTimestamp
    if (oldest === undefined) {
      if (newest > 0) checkpoint.logicsMsgTimestamp = newest
    } else {
      checkpoint.logicsMsgTimestamp = Math.max(checkpoint.logicsMsgTimestamp, oldest.dirtySinceTimestamp - 1)
    }
  }

  #resumePoint(): ResumePoint {
    const { disk, index } = this.#core
    return {
      written: this.writtenPosition(),
      durable: this.#durable,
      durableEntries: this.#durableEntries,
      indexSlotsOffset: index?.slotsWrittenOffset ?? 0,
      bootId: disk.bootId(),
    }
  }

  #guard(what: string, action: () => void): boolean {
    if (this.#core.lifecycle.state === 'fenced') return false
    try {
      action()
      return true
    } catch (error) {
      this.#writer.reportWriteFailure(what, error)
      return false
    }
  }
}

/** Sum of all queues' next offsets, in files. */
export function countEntries(core: Pick<StoreCore, 'queues'>): number {
  let count = 0
  for (const queue of core.queues.all()) count += queue.writtenOffset
  return count
}

/** Brings the files of a queue that changed to the device: the last two, as entries may just have crossed into a new one. */
async function syncQueue(queue: ConsumeQueue): Promise<void> {
  queue.needsSync = false
  for (const part of [queue.log, queue.ext?.log]) {
    if (part === undefined) continue
    for (const segment of part.segments.slice(-2)) await part.file(segment).sync()
  }
}
