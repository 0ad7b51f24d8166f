import {
  BLANK_HEAD_BYTES,
  checkRecord,
  type RecordCheckOptions,
  type RecordShape,
  recordLayout,
} from '@rocketmq-ts/model'
import { readInt64 } from '@rocketmq-ts/model/internal'
import type { SegmentedLog } from '../segment/segmented-log.ts'
import type { GoOn } from './damage.ts'

/** Receives one valid record; `start` is its place in `buffer`, which is overwritten afterwards. */
export type RecordVisitor = (buffer: Buffer, start: number, shape: RecordShape, physicalOffset: number) => void

export interface ScanOptions extends RecordCheckOptions {
  /**
   * Records from here on were perhaps not written whole: a sector that is missing is zero. The body's CRC doesn't cover topic and
   * properties, so a sector without any byte of them is taken for missing.
   */
  readonly tornFrom?: number | undefined
  /** Asked at each place without a valid record whether the log goes on behind it. Without it, that is the end. */
  readonly goOn?: GoOn | undefined
}

export interface ScanEnd {
  /** Behind the last valid record, or the start of the file that a blank record led to. */
  readonly endOffset: number
  /** What stopped the scan; undefined where nothing was ever written. */
  readonly reason: string | undefined
  readonly recordCount: number
}

const BLOCK_BYTES = 2 * 1024 * 1024
const SECTOR_BYTES = 512

/**
 * Reads the log from `offset` (the start of a record) to the first place that holds no valid record: torn, damaged, stale (it states
 * another physical offset than its own), or never written. Reads off the event loop, a block at a time.
 */
export async function scanLog(
  log: SegmentedLog,
  offset: number,
  options: ScanOptions,
  visit: RecordVisitor,
): Promise<ScanEnd> {
  let buffer = Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES, log.fileSizeBytes))
  let recordCount = 0
  let position = offset
  const end = (endOffset: number, reason: string | undefined): ScanEnd => ({ endOffset, reason, recordCount })
  for (;;) {
    const segment = log.segmentAt(position)
    if (segment === undefined) {
      const next = options.goOn?.({ offset: position, isMissingFile: true, reason: 'the file is missing' })
      if (next === undefined) return end(position, undefined)
      position = next
      continue
    }
    const fileEnd = segment.startOffset + log.fileSizeBytes
    const length = await log.read(buffer, 0, Math.min(buffer.length, fileEnd - position), position)
    const block = walk(buffer, length, position, options, visit)
    recordCount += block.recordCount
    position += block.consumed
    if (block.stop === 'blank') {
      if (log.segmentAt(fileEnd) !== undefined) {
        position = fileEnd
        continue
      }
      const next = options.goOn?.({ offset: fileEnd, isMissingFile: true, reason: 'the file is missing' })
      if (next === undefined) return end(position, undefined)
      position = next
      continue
    }
    if (block.stop === 'incomplete') {
      if (block.consumed > 0) continue
      // The record is larger than the block, or torn at the end of its file.
      if (length === buffer.length && position + length < fileEnd) {
        buffer = Buffer.allocUnsafeSlow(Math.min(buffer.length * 2, log.fileSizeBytes))
        continue
      }
    }
    const isEmpty = block.stop === 'empty'
    const reason = isEmpty ? 'there are zeros' : block.reason
    const next = options.goOn?.({ offset: position, isMissingFile: false, reason })
    if (next === undefined) return end(position, isEmpty ? undefined : reason)
    position = next
  }
}

interface BlockEnd {
  consumed: number
  recordCount: number
  stop: 'incomplete' | 'blank' | 'empty' | 'invalid'
  reason: string
}

function walk(buffer: Buffer, length: number, position: number, options: ScanOptions, visit: RecordVisitor): BlockEnd {
  let at = 0
  let recordCount = 0
  for (;;) {
    if (length - at < BLANK_HEAD_BYTES) return { consumed: at, recordCount, stop: 'incomplete', reason: 'cut off' }
    const check = checkRecord(buffer, at, length, options)
    if (check.kind !== 'record') {
      const reason = 'reason' in check ? check.reason : ''
      return { consumed: at, recordCount, stop: check.kind, reason }
    }
    if (readInt64(buffer, at + recordLayout.physicalOffset) !== position + at) {
      return { consumed: at, recordCount, stop: 'invalid', reason: 'the record states another physical offset' }
    }
    if (position + at >= (options.tornFrom ?? Number.POSITIVE_INFINITY) && isTorn(buffer, at, check.shape, position)) {
      return { consumed: at, recordCount, stop: 'invalid', reason: 'topic or properties are torn' }
    }
    visit(buffer, at, check.shape, position + at)
    recordCount++
    at += check.shape.totalSize
  }
}

/** Whether a sector that begins within the record lacks its part of topic and properties. `position`: of the buffer in the log. */
function isTorn(buffer: Buffer, start: number, shape: RecordShape, position: number): boolean {
  const end = shape.propertiesEnd
  const firstSector = Math.ceil((position + start + 1) / SECTOR_BYTES) * SECTOR_BYTES - position
  for (let sector = firstSector; sector < end; sector += SECTOR_BYTES) {
    const from = Math.max(sector, shape.bodyEnd)
    const to = Math.min(sector + SECTOR_BYTES, end)
    let at = from
    while (at < to && buffer[at] === 0) at++
    if (from < to && at === to) return true
  }
  return false
}
