import type { ConsumeQueue } from './consume-queue.ts'
import { PRE_BLANK_SIZE } from './consume-queue.ts'
import { decodeEntries, ENTRY_BYTES } from './entries.ts'

/**
 * Finds where a queue on disk begins and ends. An entry is valid when its physical offset is 0 or more and its size above 0; the
 * first that isn't ends the queue.
 */

const BLOCK_ENTRIES = 204
/** Reads are small first: most of thousands of queues hold little. */
const block = Buffer.allocUnsafeSlow(BLOCK_ENTRIES * ENTRY_BYTES)
const oneEntry = Buffer.allocUnsafeSlow(ENTRY_BYTES)

function physicalOffsetAt(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 4294967296 + bytes.readUInt32BE(at + 4)
}

function isValidAt(bytes: Buffer, at: number): boolean {
  return bytes.readInt32BE(at) >= 0 && bytes.readInt32BE(at + 8) > 0
}

/** Reads entry number `index` of a queue's files; undefined outside of them. The result is overwritten by the next call. */
function readEntry(queue: ConsumeQueue, index: number): Buffer | undefined {
  const got = queue.log.readSync(oneEntry, 0, ENTRY_BYTES, index * ENTRY_BYTES)
  return got === ENTRY_BYTES ? oneEntry : undefined
}

/** Entry number `index` of a queue's files in memory form; undefined when there is none. */
export function readEntryInts(queue: ConsumeQueue, index: number): Int32Array | undefined {
  const bytes = readEntry(queue, index)
  return bytes === undefined ? undefined : decodeEntries(bytes)
}

/**
 * How the files of a queue may look. `trusted`: we wrote them and nothing was lost since, so the entries form a run without holes, whose
 * end is searched by halving. `cut`: we wrote them, and the power was lost; lengths of files may be gone. `foreign`: Java wrote
 * them; the last three files are read whole, as Java does.
 */
export type QueueFilesState = 'trusted' | 'cut' | 'foreign'

/** Loads the files of `queue` and continues its numbers at their end. */
export function recoverQueueEnd(queue: ConsumeQueue, state: QueueFilesState): void {
  const { log } = queue
  const isTrusted = state === 'trusted'
  log.load(state === 'cut' ? { completeFrom: 0 } : {})
  if (log.segments.length === 0) return
  const entriesPerFile = log.fileSizeBytes / ENTRY_BYTES
  const firstFile = isTrusted ? log.segments.length - 1 : Math.max(0, log.segments.length - 3)
  let end = log.segments[firstFile]!.startOffset / ENTRY_BYTES
  for (let i = firstFile; i < log.segments.length; i++) {
    const fileStart = log.segments[i]!.startOffset / ENTRY_BYTES
    const count = countValid(queue, fileStart, entriesPerFile, isTrusted)
    end = fileStart + count
    if (count < entriesPerFile) break
  }
  log.removeFrom(end * ENTRY_BYTES)
  let maxPhysicalOffset = 0
  const last = end > log.startOffset / ENTRY_BYTES ? readEntry(queue, end - 1) : undefined
  if (last !== undefined) maxPhysicalOffset = endOfEntry(last)
  queue.startAt(end, maxPhysicalOffset)
  // Of files that a killed process wrote nobody knows what the device has; the next sync takes them all.
  queue.syncedOffset = state === 'cut' ? end : 0
}

function endOfEntry(entry: Buffer): number {
  const size = entry.readInt32BE(8)
  const physicalOffset = physicalOffsetAt(entry, 0)
  return physicalOffset === 0 && size === PRE_BLANK_SIZE ? 0 : physicalOffset + size
}

/** Number of valid entries from `start` on, at most `limit`. */
function countValid(queue: ConsumeQueue, start: number, limit: number, isTrusted: boolean): number {
  let count = 0
  for (let step = 0; count < limit; step++) {
    const wanted = Math.min(BLOCK_ENTRIES, limit - count)
    const got = queue.log.readSync(block, 0, wanted * ENTRY_BYTES, (start + count) * ENTRY_BYTES)
    const entries = Math.floor(got / ENTRY_BYTES)
    for (let i = 0; i < entries; i++) {
      if (!isValidAt(block, i * ENTRY_BYTES)) return count + i
    }
    count += entries
    if (entries < wanted) return count
    if (isTrusted && step === 0) return halve(queue, start, count, limit)
  }
  return count
}

/** The end lies from `low` (all valid before) to `high`. */
function halve(queue: ConsumeQueue, start: number, low: number, high: number): number {
  let from = low
  let to = high
  while (from < to) {
    const middle = (from + to) >>> 1
    const entry = readEntry(queue, start + middle)
    if (entry !== undefined && isValidAt(entry, 0)) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * Drops the entries of records at or behind `endOffset` of the log; what was in their place becomes zero. Returns whether there were
 * any.
 */
export function truncateQueue(queue: ConsumeQueue, endOffset: number): boolean {
  if (queue.maxPhysicalOffset <= endOffset) return false
  const { log } = queue
  // Physical offsets only grow along a queue, as far as it is valid.
  let end = log.startOffset / ENTRY_BYTES
  let high = queue.nextOffset
  while (end < high) {
    const middle = Math.floor((end + high) / 2)
    const entry = readEntry(queue, middle)
    if (entry !== undefined && physicalOffsetAt(entry, 0) < endOffset) end = middle + 1
    else high = middle
  }
  const last = end > log.startOffset / ENTRY_BYTES ? readEntry(queue, end - 1) : undefined
  const maxPhysicalOffset = last === undefined ? 0 : endOfEntry(last)
  log.truncate(end * ENTRY_BYTES)
  queue.startAt(end, maxPhysicalOffset)
  return true
}

/**
 * Sets the minimum to the first entry whose record is at or behind `minPhysicalOffset`; to the maximum when there is none.
 * Source: ConsumeQueue#correctMinOffset, 5.3.x; unlike there, filling entries are never the minimum.
 */
export function correctMinOffset(queue: ConsumeQueue, minPhysicalOffset: number): void {
  const { log } = queue
  let low = Math.max(queue.minOffset, log.startOffset / ENTRY_BYTES)
  if (log.segments.length === 0) {
    if (queue.minOffset > queue.nextOffset) queue.minOffset = queue.nextOffset
    return
  }
  let high = queue.writtenOffset
  if (isKept(queue, low, minPhysicalOffset)) high = low
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isKept(queue, middle, minPhysicalOffset)) high = middle
    else low = middle + 1
  }
  queue.minOffset = low
}

function isKept(queue: ConsumeQueue, index: number, minPhysicalOffset: number): boolean {
  const entry = readEntry(queue, index)
  if (entry === undefined) return true
  const physicalOffset = physicalOffsetAt(entry, 0)
  if (physicalOffset === 0 && entry.readInt32BE(8) === PRE_BLANK_SIZE) return false
  return physicalOffset >= minPhysicalOffset
}
