import type { Timer } from '@rocketmq-ts/runtime'
import type { ConsumeQueue } from './consume-queue/consume-queue.ts'
import { extAddressOf, isExtAddress } from './consume-queue/consume-queue-ext.ts'
import { ENTRY_BYTES, entryPhysicalOffset, entryTagsHigh, entryTagsLow } from './consume-queue/entries.ts'
import { correctMinOffset, readEntryInts } from './consume-queue/queue-recovery.ts'
import type { StoreCore } from './store-core.ts'

/** The first look at expired files comes a while after the start. */
const FIRST_CLEANUP_MS = 60_000
/** While writes are refused for lack of space, the disk is looked at so often. */
const FULL_PROBE_MS = 1000
/** A full disk counts as usable again with so much space. */
const FREE_BYTES_MIN = 16 * 1024 * 1024
/** Rounds that a manual request deletes in. */
const MANUAL_ROUNDS = 20
const HOUR_MS = 3_600_000

/**
 * Deletes what nobody may read any more, and watches the disk.
 *
 * A commit log file goes when it is older than `fileReservedTime`, in the hours of `deleteWhen`, on request, or at any
 * hour above `diskMaxUsedSpaceRatio`; regardless of its age above `diskSpaceCleanForciblyRatio`. Never the last one.
 * Consume queue and index files follow. Above `diskSpaceWarningLevelRatio` writes are refused until it is below again.
 * No ratio counts while `diskSpaceAmpleBytes` or more are available.
 * Source: DefaultMessageStore.CleanCommitLogService, 5.3.x.
 */
export class Retention {
  readonly #core: StoreCore
  readonly #onFilesRemoved: () => void
  readonly #canWrite: () => boolean
  readonly #timers: Timer[] = []
  #manualRounds = 0
  #isDeleting = false
  #minOffsetSeen: number
  #isStopped = false
  /** Used space in percent when last looked, −1 when unknown. */
  usedPercent = -1

  /** `onFilesRemoved` is called before files of queues go; `canWrite` says whether the last write of queues and index succeeded. */
  constructor(core: StoreCore, onFilesRemoved: () => void, canWrite: () => boolean) {
    this.#core = core
    this.#onFilesRemoved = onFilesRemoved
    this.#canWrite = canWrite
    this.#minOffsetSeen = core.commitLog.minOffset
  }

  start(): void {
    const { clock, options } = this.#core
    const periodMs = options.cleanResourceIntervalMs
    this.#timers.push(
      clock.setTimeout(
        () => {
          void this.cleanUp()
          this.#timers.push(clock.setInterval(() => void this.cleanUp(), periodMs, { unref: true }))
        },
        FIRST_CLEANUP_MS,
        { unref: true },
      ),
      clock.setInterval(() => this.checkDisk(), periodMs, { unref: true }),
      clock.setInterval(() => this.#probeFull(), FULL_PROBE_MS, { unref: true }),
    )
    this.checkDisk()
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of this.#timers) timer.cancel()
  }

  /** An operator's request: the next rounds delete expired files at any hour. */
  requestManual(): void {
    this.#manualRounds = MANUAL_ROUNDS
  }

  /** One round. Resolves when its deletions are done. */
  async cleanUp(): Promise<void> {
    if (this.#isDeleting || this.#isStopped) return
    this.#isDeleting = true
    try {
      await this.#deleteCommitLogFiles()
      this.followCommitLog()
    } catch (error) {
      this.#core.logger.warn({ error: String(error) }, 'expired files could not be deleted')
    } finally {
      this.#isDeleting = false
    }
  }

  /** Looks at the partitions of log and queues; refuses or allows writes accordingly. */
  checkDisk(): void {
    const { lifecycle, options } = this.#core
    this.usedPercent = this.#measure()
    const limit = clamp(options.diskSpaceWarningLevelPercent, 35, 90)
    if (this.usedPercent > limit && !this.#isAmple()) {
      if (lifecycle.state === 'running') {
        lifecycle.move('disk-full', `the disk is ${this.usedPercent}% full, more than ${limit}%`)
      }
    } else if (lifecycle.state === 'full' && this.#hasSpace() && this.#canWrite()) {
      lifecycle.move('space-returned', `the disk is ${this.usedPercent}% full`)
    }
  }

  /** Consume queues and index let go of what the log no longer has. */
  followCommitLog(): void {
    const { batchQueues, commitLog, index, queues } = this.#core
    const { minOffset } = commitLog
    if (minOffset === this.#minOffsetSeen) return
    this.#minOffsetSeen = minOffset
    this.#onFilesRemoved()
    for (const queue of queues.all()) {
      deleteQueueFiles(queue, minOffset)
      correctMinOffset(queue, minOffset)
    }
    for (const queue of batchQueues.all()) queue.correctMinOffset(minOffset)
    index?.removeBefore(minOffset)
  }

  async #deleteCommitLogFiles(): Promise<void> {
    const { clock, commitLog, disk, options } = this.#core
    const percent = this.#measure()
    const isAmple = this.#isAmple()
    const isForced =
      options.cleanFileForciblyEnable && !isAmple && percent > clamp(options.diskSpaceCleanForciblyPercent, 30, 85)
    const isManual = this.#manualRounds > 0
    if (isManual) this.#manualRounds--
    const isOverMaximum = !isAmple && percent > clamp(options.diskMaxUsedSpacePercent, 10, 95)
    if (!isForced && !isManual && !isOverMaximum && !isDeleteHour(options.deleteWhenHours, clock.now())) return
    for (let count = 0; count < options.deleteFileBatchMax; count++) {
      const { segments } = commitLog.log
      const first = segments[0]
      if (first === undefined || segments.length < 2) return
      // What isn't flushed may be the only copy; it is young in any case.
      if (segments[1]!.startOffset > this.#core.watermarks.flushed) return
      const modifiedAtMs = disk.stat(first.path)?.modifiedAtMs ?? 0
      if (!isForced && clock.now() < modifiedAtMs + options.fileReservedTimeHours * HOUR_MS) return
      if (count > 0) await pause(this.#core, options.deleteCommitLogFilesIntervalMs)
      if (this.#isStopped) return
      this.#core.logger.info({ path: first.path, isForced, percent }, 'commit log file deleted')
      commitLog.log.removeFirst()
    }
  }

  #probeFull(): void {
    if (this.#core.lifecycle.state === 'full') this.checkDisk()
  }

  #hasSpace(): boolean {
    const usage = this.#core.disk.usage(this.#core.commitLog.log.directory)
    return usage === undefined || usage.availableBytes >= FREE_BYTES_MIN
  }

  #isAmple(): boolean {
    const { disk, options } = this.#core
    if (options.diskSpaceAmpleBytes === 0) return false
    return this.#directories().every(path => (disk.usage(path)?.availableBytes ?? 0) >= options.diskSpaceAmpleBytes)
  }

  #measure(): number {
    return Math.max(...this.#directories().map(path => this.#percentOf(path)))
  }

  /** Log and queues may be on partitions of their own. */
  #directories(): string[] {
    const { commitLog, directory } = this.#core
    return [commitLog.log.directory, `${directory}/consumequeue`]
  }

  /** As `df` counts: used of used and available, rounded up. −1 when unknown. */
  #percentOf(path: string): number {
    const usage = this.#core.disk.usage(path)
    if (usage === undefined) return -1
    const total = usage.usedBytes + usage.availableBytes
    return total === 0 ? -1 : Math.ceil((usage.usedBytes * 100) / total)
  }
}

/** Files whose last entry lies before the log's minimum, never the last file. */
function deleteQueueFiles(queue: ConsumeQueue, minPhysicalOffset: number): void {
  const { log } = queue
  while (log.segments.length > 1) {
    const lastOfFirst = readEntryInts(queue, log.segments[1]!.startOffset / ENTRY_BYTES - 1)
    if (lastOfFirst === undefined || entryPhysicalOffset(lastOfFirst, 0) >= minPhysicalOffset) break
    log.removeFirst()
  }
  const first = queue.ext === undefined ? undefined : readEntryInts(queue, queue.minOffset)
  if (first === undefined) return
  const high = entryTagsHigh(first, 0)
  const low = entryTagsLow(first, 0)
  if (isExtAddress(high, low)) queue.ext?.removeBefore(extAddressOf(high, low))
}

/** Whether the local hour is in a list like `04;16`. */
export function isDeleteHour(hours: string, now: number): boolean {
  const hour = new Date(now).getHours()
  return hours.split(';').some(text => /^\s*\d{1,2}\s*$/.test(text) && Number(text) === hour)
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}

function pause(core: StoreCore, delayMs: number): Promise<void> {
  return new Promise(resolve => core.clock.setTimeout(resolve, delayMs, { unref: true }))
}
