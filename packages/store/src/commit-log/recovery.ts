import {
  BLANK_HEAD_BYTES,
  checkRecord,
  type RecordCheckOptions,
  recordLayout,
  storeTimestampAt,
} from '@rocketmq-ts/model'
import { readInt32, readInt64 } from '@rocketmq-ts/model/internal'
import { type Clock, type Disk, type Logger, RocketMqError } from '@rocketmq-ts/runtime'
import type { Checkpoint, ResumePosition } from '../checkpoint.ts'
import type { BatchQueues } from '../consume-queue/batch-queues.ts'
import { extAddressOf, isExtAddress } from '../consume-queue/consume-queue-ext.ts'
import { entryTagsHigh, entryTagsLow } from '../consume-queue/entries.ts'
import { loadQueues } from '../consume-queue/queue-loader.ts'
import { correctMinOffset, readEntryInts, truncateQueue } from '../consume-queue/queue-recovery.ts'
import { contentsOf, fingerprintOf, type QueueTable } from '../consume-queue/queue-table.ts'
import type { DeletedTopics } from '../deleted-topics.ts'
import type { Dispatcher } from '../dispatch/dispatcher.ts'
import type { KeyIndex } from '../index/key-index.ts'
import type { StoreOptions } from '../options.ts'
import type { CommitLog } from './commit-log.ts'
import { goOnBehindDamage, type KnownLog, reportMissingFiles } from './damage.ts'
import { type ScanOptions, scanLog } from './log-scanner.ts'

export interface RecoveryContext {
  readonly disk: Disk
  readonly clock: Clock
  readonly logger: Logger
  readonly directory: string
  readonly options: StoreOptions
  readonly commitLog: CommitLog
  readonly queues: QueueTable
  readonly batchQueues: BatchQueues
  readonly deletedTopics: DeletedTopics
  readonly index: KeyIndex | undefined
  readonly checkpoint: Checkpoint
  readonly dispatcher: Dispatcher
  /** The file `abort` was absent. */
  readonly isCleanExit: boolean
  /** Java stores of at most so many bytes are read whole after a crash, so that nothing of queues and index is lost. */
  readonly wholeLogMaxBytes: number
}

export interface RecoveryResult {
  readonly endOffset: number
  /** Start of a record, from which a later recovery may begin. */
  readonly scanOffset: number
  /** Of the last record dispatched here; 0 when none was. */
  readonly lastStoreTimestamp: number
  /** What survives power loss, until the next thorough sync. */
  readonly durable: ResumePosition
  /** Of the queues at that position; −1 when they must be taken for lost after power loss. */
  readonly durableFingerprint: number
  /** Nothing of queues and index has been written since. */
  readonly isAllDurable: boolean
}

/**
 * How much of what is on disk can be relied on.
 *
 * - `resume`: we wrote it, and everything written is there (clean stop, or killed).
 * - `resume-durable`: we wrote it, but the page cache is lost: only what was synced counts.
 * - `foreign-clean`, `foreign-crash`: a Java broker wrote it last, and stopped or died.
 */
type Trust = 'resume' | 'resume-durable' | 'foreign-clean' | 'foreign-crash'

interface StartPoint {
  readonly trust: Trust
  readonly scanOffset: number
  /** Records from here on are dispatched. */
  readonly dispatchOffset: number
}

/**
 * Brings queues, index and the end of the log into agreement, after a clean stop as after a crash. Afterwards every valid record up to
 * the first invalid one has its entries, nothing points behind the end, and behind the end is nothing but zeros.
 */
export async function recover(context: RecoveryContext): Promise<RecoveryResult> {
  const { checkpoint, commitLog, queues, batchQueues, index, dispatcher, logger } = context
  const { resumePoint } = checkpoint
  context.deletedTopics.load()
  commitLog.log.load(resumePoint === undefined ? {} : { completeFrom: resumePoint.durable.offset })
  if (commitLog.log.segments.length === 0) return startEmpty(context)
  reportMissingFiles(commitLog.log, durableEnd(context), logger)
  const resume = findResumePosition(context)
  const state = resume === undefined ? 'foreign' : resume.trust === 'resume' ? 'trusted' : 'cut'
  await loadQueues(context.disk, context.clock, context.directory, queues, state)
  batchQueues.load()
  let start = resume ?? findForeignStart(context)
  if (start.trust === 'resume-durable') {
    truncateQueues(context, start.dispatchOffset)
  }
  if (resume !== undefined && !hasItsQueues(context, start)) {
    logger.warn({}, 'consume queues are missing; they are rebuilt from the whole log')
    start = { ...start, scanOffset: commitLog.minOffset, dispatchOffset: commitLog.minOffset }
    dispatcher.rebuild = 'all'
  }
  loadIndex(context, start)
  if (start.trust === 'resume' && !hasItsIndex(context)) {
    logger.warn({}, 'index files are missing; the index is built anew from the whole log')
    index?.clear()
    start = { ...start, scanOffset: commitLog.minOffset, dispatchOffset: commitLog.minOffset }
  }
  const isWholeLog = start.scanOffset <= commitLog.minOffset
  dispatcher.isWholeLog = isWholeLog && start.dispatchOffset <= commitLog.minOffset
  const indexedUpTo = index?.endPhysicalOffset ?? 0
  const tornFrom = resume?.dispatchOffset
  const goOn = goOnBehindDamage(commitLog.log, knownLog(context, resume), logger)
  const checks = { ...recordChecks(context.options), tornFrom, goOn }
  let lastRecordOffset = start.scanOffset
  const end = await scanLog(commitLog.log, start.scanOffset, checks, (buffer, at, shape, physicalOffset) => {
    lastRecordOffset = physicalOffset
    if (physicalOffset < start.dispatchOffset) return
    dispatcher.dispatch(buffer, at, shape, physicalOffset, physicalOffset > indexedUpTo)
  })
  const lastStoreTimestamp = dispatcher.storeTimestamp
  if (dispatcher.rebuild === 'all' && hasWholeLog(commitLog)) removeUnknownQueues(context)
  const isRebuilt = dispatcher.rebuild !== undefined || dispatcher.damaged.size > 0
  if (dispatcher.damaged.size > 0) await rebuildDamaged(context, checks)
  settleEnd(context, end.endOffset, end.reason)
  context.deletedTopics.settle(commitLog.minOffset, end.endOffset)
  logger.info(
    { ...start, endOffset: end.endOffset, records: end.recordCount, stoppedBy: end.reason },
    'commit log recovered',
  )
  const firstOffset = commitLog.minOffset
  const isResumed = resume !== undefined && resumePoint !== undefined
  const durable = isResumed ? resumePoint.durable : { offset: firstOffset, scanOffset: firstOffset }
  return {
    endOffset: end.endOffset,
    scanOffset: Math.min(lastRecordOffset, end.endOffset),
    lastStoreTimestamp,
    durable,
    durableFingerprint: isResumed && !isRebuilt ? resumePoint.durableFingerprint : -1,
    isAllDurable: start.trust === 'resume' && !isRebuilt && durable.offset === end.endOffset,
  }
}

/** Where the log surely reached; 0 when nobody has noted it. */
function durableEnd({ checkpoint, disk }: RecoveryContext): number {
  const point = checkpoint.resumePoint
  if (point === undefined) return 0
  return point.bootId !== '' && point.bootId === disk.bootId() ? point.written.offset : point.durable.offset
}

function knownLog(context: RecoveryContext, resume: StartPoint | undefined): KnownLog {
  const { commitLog, isCleanExit } = context
  if (resume !== undefined) {
    return { endOffset: resume.dispatchOffset, recordOffset: resume.scanOffset, hasAllFiles: isCleanExit }
  }
  const { segments } = commitLog.log
  const checked = segments.findLast(segment => isBeforeCheckpoint(context, segment.startOffset))
  return { endOffset: checked?.startOffset ?? 0, recordOffset: -1, hasAllFiles: true }
}

function recordChecks(options: StoreOptions): RecordCheckOptions {
  return { verifyBodyCrc: options.checkCrcOnRecover, verifyPropertyCrc: options.forceVerifyPropCrc }
}

/** Queues and index of a log that has no file point nowhere. */
function startEmpty(context: RecoveryContext): RecoveryResult {
  const { disk, directory, index } = context
  // Its log lies elsewhere; queues without it must not be taken for remains.
  const dledger = disk.list(directory)?.find(entry => entry.isDirectory && entry.name.startsWith('dledger-'))
  if (dledger !== undefined) {
    const path = `${directory}/${dledger.name}`
    throw new RocketMqError('STORE_CORRUPT', `${path} is a log of DLedger, which is not supported`, {
      details: { path },
    })
  }
  for (const name of ['consumequeue', 'consumequeue_ext', 'batchconsumequeue']) {
    if (disk.list(`${directory}/${name}`) !== undefined) disk.removeDirectory(`${directory}/${name}`)
  }
  if (disk.list(`${directory}/index`) !== undefined) index?.clear()
  context.deletedTopics.settle(0, 0)
  return {
    endOffset: 0,
    scanOffset: 0,
    lastStoreTimestamp: 0,
    durable: { offset: 0, scanOffset: 0 },
    durableFingerprint: -1,
    isAllDurable: true,
  }
}

/** The resume point of our last run, when the log still agrees with it. */
function findResumePosition(context: RecoveryContext): StartPoint | undefined {
  const { checkpoint, commitLog, disk } = context
  const point = checkpoint.resumePoint
  if (point === undefined) return undefined
  const bootId = disk.bootId()
  const pageCacheLives = point.bootId !== '' && point.bootId === bootId
  const { log } = commitLog
  const position = clampToStart(pageCacheLives ? point.written : point.durable, log.startOffset)
  if (position.offset > log.limitOffset) return undefined
  if (!agreesWithLog(context, position)) return undefined
  return {
    trust: pageCacheLives ? 'resume' : 'resume-durable',
    scanOffset: position.scanOffset,
    dispatchOffset: position.offset,
  }
}

/**
 * Whether the queues are those of our last run. After power loss the names of files, and with them whole queues, may be gone, although
 * their contents were synced; and at any time somebody may have removed some. After a kill there may be more than was noted last.
 */
function hasItsQueues({ checkpoint, isCleanExit, queues }: RecoveryContext, start: StartPoint): boolean {
  const point = checkpoint.resumePoint
  if (point === undefined) return false
  if (isCleanExit || start.trust === 'resume-durable') return fingerprintOf(queues) === point.durableFingerprint
  const { fileCount, entryCount } = contentsOf(queues)
  return fileCount >= point.queueFileCount && entryCount >= point.queueEntryCount
}

/** Whether the index reaches as far as it did in our last run. */
function hasItsIndex({ checkpoint, index }: RecoveryContext): boolean {
  const known = checkpoint.resumePoint?.indexSlotsOffset ?? 0
  return index === undefined || index.endPhysicalOffset + 1 >= known
}

/** Files may have expired since. The start of a file is the start of a record. */
function clampToStart(position: ResumePosition, startOffset: number): ResumePosition {
  return {
    offset: Math.max(position.offset, startOffset),
    scanOffset: Math.max(position.scanOffset, startOffset),
  }
}

/** A record, or the blank one of a file's end, must begin at the scan offset; only a log without records has none. */
function agreesWithLog(context: RecoveryContext, position: ResumePosition): boolean {
  const { log } = context.commitLog
  const { scanOffset } = position
  if (position.offset === scanOffset && scanOffset === log.startOffset) return true
  const segment = log.segmentAt(scanOffset)
  const size = Buffer.alloc(4)
  if (segment === undefined || log.readSync(size, 0, 4, scanOffset) < 4) return false
  const left = segment.startOffset + log.fileSizeBytes - scanOffset
  const length = Math.min(size.readInt32BE(0), left)
  if (length < BLANK_HEAD_BYTES) return false
  const record = Buffer.alloc(length)
  log.readSync(record, 0, length, scanOffset)
  const check = checkRecord(record, 0, length, recordChecks(context.options))
  if (check.kind === 'blank') return check.totalSize === left
  return check.kind === 'record' && readInt64(record, recordLayout.physicalOffset) === scanOffset
}

/** Where Java's rules begin; earlier where that is cheap and safer. Source: CommitLog#recoverNormally, #recoverAbnormally, 5.3.x. */
function findForeignStart(context: RecoveryContext): StartPoint {
  const { commitLog, isCleanExit } = context
  const { segments } = commitLog.log
  const first = segments[0]!.startOffset
  const trust = isCleanExit ? 'foreign-clean' : 'foreign-crash'
  const at = (offset: number): StartPoint => ({ trust, scanOffset: offset, dispatchOffset: offset })
  if (isCleanExit) {
    const dispatched = greatestDispatched(context)
    const last = segments.findLast(segment => segment.startOffset <= dispatched)
    return at(last?.startOffset ?? first)
  }
  if (segments.length * commitLog.log.fileSizeBytes <= context.wholeLogMaxBytes) return at(first)
  return at(segments.findLast(segment => isBeforeCheckpoint(context, segment.startOffset))?.startOffset ?? first)
}

function greatestDispatched(context: RecoveryContext): number {
  let greatest = -1
  for (const queue of context.queues.all()) greatest = Math.max(greatest, queue.maxPhysicalOffset)
  for (const queue of context.batchQueues.all()) greatest = Math.max(greatest, queue.maxPhysicalOffset)
  return greatest
}

/** True when the file's first record was stored before anything that a crash could have kept from the queues. */
function isBeforeCheckpoint(context: RecoveryContext, fileStart: number): boolean {
  const { checkpoint, commitLog, options } = context
  const head = Buffer.alloc(storeTimestampAt(0xff) + 8)
  if (commitLog.log.readSync(head, 0, head.length, fileStart) < head.length) return false
  const check = checkRecord(head, 0, head.length, { verifyBodyCrc: false, verifyPropertyCrc: false })
  if (check.kind !== 'record' && check.kind !== 'incomplete') return false
  const storeTimestamp = readInt64(head, storeTimestampAt(readInt32(head, recordLayout.sysFlag)))
  if (storeTimestamp === 0) return false
  const isIndexSafe = options.messageIndexEnable && options.messageIndexSafe
  return storeTimestamp <= (isIndexSafe ? checkpoint.minTimestampIndex : checkpoint.minTimestamp)
}

function loadIndex(context: RecoveryContext, start: StartPoint): void {
  const { checkpoint, commitLog, index } = context
  if (index === undefined) return
  if (start.trust === 'foreign-crash') {
    if (start.scanOffset <= commitLog.minOffset) index.clear()
    else index.load(file => file.endTimestamp > checkpoint.indexMsgTimestamp)
    return
  }
  index.load(() => false)
  if (start.trust === 'resume') index.replaySlots(checkpoint.resumePoint?.indexSlotsOffset ?? 0)
  if (start.trust === 'resume-durable') index.cutAt(start.dispatchOffset)
}

/** Queues with missing entries are built anew from the first record of the log on. */
async function rebuildDamaged(context: RecoveryContext, checks: ScanOptions): Promise<void> {
  const { commitLog, dispatcher, logger } = context
  const damaged = new Set(dispatcher.damaged)
  logger.warn({ queues: damaged.size }, 'consume queues with missing entries are rebuilt from the whole log')
  dispatcher.rebuild = damaged
  dispatcher.isWholeLog = true
  await scanLog(commitLog.log, commitLog.minOffset, checks, (buffer, at, shape, physicalOffset) =>
    dispatcher.dispatch(buffer, at, shape, physicalOffset, false),
  )
}

function hasWholeLog({ log }: CommitLog): boolean {
  return log.startOffset === 0 && log.segments.length * log.fileSizeBytes === log.limitOffset
}

/** The log has never lost a file, so queues of which it knows nothing are remains. */
function removeUnknownQueues(context: RecoveryContext): void {
  for (const queue of [...context.queues.all()]) {
    if (context.dispatcher.isRebuilt(queue)) continue
    queue.log.destroy()
    queue.ext?.log.destroy()
    context.queues.remove(queue)
  }
}

function truncateQueues(context: RecoveryContext, endOffset: number): void {
  for (const queue of context.queues.all()) {
    if (!truncateQueue(queue, endOffset) || queue.ext === undefined) continue
    const last = readEntryInts(queue, queue.nextOffset - 1)
    const isAddress = last !== undefined && isExtAddress(entryTagsHigh(last, 0), entryTagsLow(last, 0))
    queue.ext.truncateAfter(isAddress ? extAddressOf(entryTagsHigh(last, 0), entryTagsLow(last, 0)) : -1)
  }
  for (const queue of context.batchQueues.all()) queue.truncate(endOffset)
}

/** Nothing may point behind the end, and nothing may lie there. */
function settleEnd(context: RecoveryContext, endOffset: number, reason: string | undefined): void {
  const { commitLog, index, isCleanExit, queues, batchQueues } = context
  truncateQueues(context, endOffset)
  index?.cutAt(endOffset)
  if (isCleanExit && reason === undefined) commitLog.log.removeFrom(endOffset + 1)
  else commitLog.log.truncate(endOffset)
  const { minOffset } = commitLog
  for (const queue of queues.all()) {
    queue.ext?.settle()
    queue.settle()
    queue.visibleOffset = queue.settledOffset
    correctMinOffset(queue, minOffset)
  }
  for (const queue of batchQueues.all()) {
    queue.settle()
    queue.visibleOffset = queue.nextOffset
    queue.correctMinOffset(minOffset)
  }
  index?.settle()
}
