import type { Timer } from '@rocketmq-ts/runtime'
import type { ResumePoint, ResumePosition } from './checkpoint.ts'
import type { Appender } from './commit-log/appender.ts'
import type { RecoveryResult } from './commit-log/recovery.ts'
import type { ConsumeQueue } from './consume-queue/consume-queue.ts'
import { ENTRY_BYTES } from './consume-queue/entries.ts'
import { contentsOf, fingerprintOf } from './consume-queue/queue-table.ts'
import type { IndexFile } from './index/index-file.ts'
import type { SegmentedLog } from './segment/segmented-log.ts'
import type { StoreCore } from './store-core.ts'
import type { TurnWriter } from './turn-writer.ts'

/** Queues and index are written in slices, so many a round of `flushIntervalConsumeQueue`. */
const SLICES = 10
const SLICE_QUEUES_MIN = 64
/** Slot pages of the index per slice: 305 pages of a full-sized file take some 8 s. */
const SLICE_INDEX_PAGES = 4
const CHECKPOINT_PERIOD_MS = 1000
/** Syncs at a time when a stop waits for them; otherwise one, which leaves the device to the log. */
const CLOSE_SYNCS = 4
const PAGE_BYTES = 4096

/** Everything that is brought to disk later than the messages: timed flush of the log, queues, index and checkpoint. */
export class Maintenance {
  readonly #core: StoreCore
  readonly #appender: Appender
  readonly #writer: TurnWriter
  readonly #timers: Timer[] = []
  readonly #unsyncedQueues = new Set<ConsumeQueue>()
  #durable: ResumePosition
  #durableFingerprint: number
  #recoveredScanOffset: number
  #lastFlushMs: number
  #isSyncing = false
  #isStopped = false
  /** The last slice of queues and index reached the disk. */
  canWrite = true

  constructor(core: StoreCore, appender: Appender, writer: TurnWriter, recovered: RecoveryResult) {
    this.#core = core
    this.#appender = appender
    this.#writer = writer
    this.#recoveredScanOffset = recovered.scanOffset
    this.#durable = recovered.durable
    this.#durableFingerprint = recovered.durableFingerprint
    if (!recovered.isAllDurable) for (const queue of core.queues.all()) this.#unsyncedQueues.add(queue)
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
    // The start of a chunk is the start of a record; the last but one leaves something to verify. So is the first unwritten record.
    const { chunks } = commitLog.tail
    const candidate = chunks[Math.max(0, chunks.length - 2)]
    let scanOffset = oldest === undefined ? this.#recoveredScanOffset : offset
    if (candidate !== undefined && candidate.written > 0 && candidate.baseOffset <= offset) {
      scanOffset = candidate.baseOffset
    }
    return { offset, scanOffset: Math.min(scanOffset, offset) }
  }

  /**
   * Brings log, queues and index to the device, and then the checkpoint, which says so. Resolves when done; a failure is reported to the
   * store and leaves the checkpoint as it was.
   */
  async syncEverything(): Promise<void> {
    if (this.#isSyncing || this.#isStopped) return
    this.#isSyncing = true
    try {
      await this.#syncAll(1)
      this.#saveCheckpoint()
    } finally {
      this.#isSyncing = false
    }
  }

  /** The last step of a clean stop: everything on the device, and a checkpoint that says "clean". */
  async finish(): Promise<boolean> {
    while (this.#isSyncing) await new Promise<void>(resolve => this.#core.clock.setImmediate(resolve))
    const position = await this.#syncAll(CLOSE_SYNCS)
    if (position === undefined) return false
    const { index } = this.#core
    return this.#guard('the checkpoint could not be written', () => {
      index?.writeAllSlots()
      this.#setTimestamps()
      this.#core.checkpoint.saveDurably(this.#resumePoint())
    })
  }

  /**
   * To be called before files of queues are removed. A recovery after a kill must not dispatch the messages of a removed queue again, so
   * nothing stays unwritten; one after power loss reads the whole log until the next sync of everything.
   */
  prepareRemoval(): void {
    this.#writer.writeNow()
    this.#guard('consume queues could not be written', () => this.#core.queueWriter.writeAll())
    this.#durableFingerprint = -1
    this.#saveCheckpoint()
  }

  /** Saves the checkpoint at the start, durably: from then on a crash finds our resume point. Throws what the disk throws. */
  saveFirst(): void {
    this.#setTimestamps()
    this.#core.checkpoint.saveDurably(this.#resumePoint())
  }

  #writeSlice(): void {
    const { index, queueWriter } = this.#core
    // So that no entry of an unfinished turn is among those to be written.
    this.#writer.writeNow()
    const count = Math.max(SLICE_QUEUES_MIN, Math.ceil(queueWriter.waitingCount / SLICES))
    const areQueuesWritten = this.#guard('consume queues could not be written', () => queueWriter.writeSome(count))
    const isIndexWritten = this.#guard('the key index could not be written', () => {
      index?.writeEntries()
      const complete = index?.writeSlots(SLICE_INDEX_PAGES)
      if (complete !== undefined) void this.#completeIndexFile(complete)
    })
    this.canWrite = areQueuesWritten && isIndexWritten
  }

  async #completeIndexFile(file: IndexFile): Promise<void> {
    try {
      await file.sync()
      this.#core.index?.finish(file)
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

  /** The position up to which all is on the device; undefined after a failure, which is reported. `concurrency`: syncs at a time. */
  async #syncAll(concurrency: number): Promise<ResumePosition | undefined> {
    const { index, queueWriter } = this.#core
    this.#writer.writeNow()
    const isWritten = this.#guard('consume queues could not be written', () => {
      queueWriter.writeAll()
      index?.writeEntries()
    })
    if (!isWritten) return undefined
    const position = this.writtenPosition()
    const fingerprint = fingerprintOf(this.#core.queues)
    const queues = [...this.#unsyncedQueues]
    this.#unsyncedQueues.clear()
    try {
      await this.#writer.groupCommit.flushWritten()
      await syncQueues(queues, concurrency)
      for (const queue of this.#core.batchQueues.all()) await syncLastFiles(queue.log)
      await index?.sync()
    } catch (error) {
      this.#writer.reportWriteFailure('consume queues or index could not be synced', error)
      return undefined
    }
    if (this.#core.watermarks.flushed < position.offset) return undefined
    this.#durable = position
    this.#durableFingerprint = fingerprint
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
    const { disk, index, queues } = this.#core
    const { fileCount, entryCount } = contentsOf(queues)
    return {
      queueFileCount: fileCount,
      queueEntryCount: entryCount,
      written: this.writtenPosition(),
      durable: this.#durable,
      durableFingerprint: this.#durableFingerprint,
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

/** Syncs the queues' files, so many at a time. */
async function syncQueues(queues: readonly ConsumeQueue[], concurrency: number): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < queues.length) await syncQueue(queues[next++]!)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}

/** Brings the files of a queue that changed to the device. */
async function syncQueue(queue: ConsumeQueue): Promise<void> {
  const { log, ext } = queue
  const target = queue.writtenOffset
  for (const segment of log.segments) {
    if (segment.startOffset + log.fileSizeBytes > queue.syncedOffset * ENTRY_BYTES) await log.file(segment).sync()
  }
  if (ext !== undefined) await syncLastFiles(ext.log)
  queue.syncedOffset = Math.max(queue.syncedOffset, Math.min(target, queue.writtenOffset))
}

/** For logs that grow slowly: entries may just have crossed into a new file. */
async function syncLastFiles(log: SegmentedLog): Promise<void> {
  for (const segment of log.segments.slice(-2)) await log.file(segment).sync()
}
