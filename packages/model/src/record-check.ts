import { CRC_PROPERTY_BYTES, readCrcProperty } from './crc-property.ts'
import { crc32 } from './crc32.ts'
import { readInt32 } from './int64.ts'
import {
  BLANK_HEAD_BYTES,
  bodyLengthAt,
  magicBlank,
  magicV1,
  magicV2,
  RECORD_FIXED_BYTES,
  recordLayout,
} from './record-layout.ts'

/** Where the parts of variable length lie; absolute offsets into the buffer. */
export interface RecordShape {
  readonly totalSize: number
  readonly magic: number
  readonly bodyStart: number
  readonly bodyEnd: number
  readonly topicStart: number
  readonly topicEnd: number
  readonly propertiesStart: number
  readonly propertiesEnd: number
}

/**
 * What lies at a place of a log:
 * - `record`: a whole, well-formed record.
 * - `blank`: the filler at the end of a file, `totalSize` bytes with its head.
 * - `empty`: size and magic are zero: nothing was ever written here.
 * - `incomplete`: the limit comes before the end of what starts here; more bytes may complete it.
 * - `invalid`: neither. `totalSize` is set when size and magic could be right, so that a reader may look behind it.
 */
export type RecordCheck =
  | { readonly kind: 'record'; readonly shape: RecordShape }
  | { readonly kind: 'blank'; readonly totalSize: number }
  | { readonly kind: 'empty' }
  | { readonly kind: 'incomplete'; readonly reason: string }
  | { readonly kind: 'invalid'; readonly reason: string; readonly totalSize?: number }

export interface RecordCheckOptions {
  /** Compare the stored CRC with the body's. */
  readonly verifyBodyCrc: boolean
  /** Require the appended CRC property and compare it with the record's. */
  readonly verifyPropertyCrc: boolean
}

const EMPTY: RecordCheck = { kind: 'empty' }

/**
 * Looks at what begins at `offset` and ends at or before `limit` (both within the buffer). Trusts no length and never
 * throws. A record is whole only when its parts add up to its size exactly.
 * Source: CommitLog#checkMessageAndReturnSize, 5.3.x.
 */
export function checkRecord(buffer: Buffer, offset: number, limit: number, options: RecordCheckOptions): RecordCheck {
  if (limit - offset < BLANK_HEAD_BYTES) return { kind: 'incomplete', reason: 'size and magic are cut off' }
  const totalSize = readInt32(buffer, offset)
  const magic = readInt32(buffer, offset + recordLayout.magic)
  if (totalSize === 0 && magic === 0) return EMPTY
  if (magic === magicBlank) {
    if (totalSize < BLANK_HEAD_BYTES) return { kind: 'invalid', reason: `blank record of ${totalSize} bytes` }
    return { kind: 'blank', totalSize }
  }
  if (magic !== magicV1 && magic !== magicV2) {
    return { kind: 'invalid', reason: `unknown magic 0x${(magic >>> 0).toString(16)}` }
  }
  if (totalSize < RECORD_FIXED_BYTES) return { kind: 'invalid', reason: `record of ${totalSize} bytes` }
  if (totalSize > limit - offset) {
    return { kind: 'incomplete', reason: `record of ${totalSize} bytes with ${limit - offset} left` }
  }
  const shape = shapeOf(buffer, offset, totalSize, magic)
  if (typeof shape === 'string') return { kind: 'invalid', reason: shape, totalSize }
  if (options.verifyPropertyCrc) {
    const reason = propertyCrcProblem(buffer, offset, shape)
    if (reason !== undefined) return { kind: 'invalid', reason, totalSize }
  } else if (options.verifyBodyCrc && shape.bodyEnd > shape.bodyStart) {
    const stated = readInt32(buffer, offset + recordLayout.bodyCrc)
    const actual = crc32(buffer, shape.bodyStart, shape.bodyEnd) & 0x7fffffff
    if (stated !== actual)
      return { kind: 'invalid', reason: `body CRC is ${actual}, not ${stated} as stated`, totalSize }
  }
  return { kind: 'record', shape }
}

/** The parts of a record of known size that is inside the buffer, or what is wrong with it. */
function shapeOf(buffer: Buffer, offset: number, totalSize: number, magic: number): RecordShape | string {
  const end = offset + totalSize
  const bodyStart = offset + bodyLengthAt(readInt32(buffer, offset + recordLayout.sysFlag)) + 4
  const topicLengthBytes = magic === magicV2 ? 2 : 1
  const spare = end - bodyStart - topicLengthBytes - 2
  if (spare < 0) return `${totalSize} bytes are too few for its hosts`
  const bodyLength = readInt32(buffer, bodyStart - 4)
  if (bodyLength < 0 || bodyLength > spare) return `body of ${bodyLength} bytes`
  const bodyEnd = bodyStart + bodyLength
  const topicLength = magic === magicV2 ? buffer.readInt16BE(bodyEnd) : buffer[bodyEnd]!
  if (topicLength < 0 || topicLength > spare - bodyLength) return `topic of ${topicLength} bytes`
  const topicStart = bodyEnd + topicLengthBytes
  const topicEnd = topicStart + topicLength
  const propertiesLength = buffer.readInt16BE(topicEnd)
  const propertiesStart = topicEnd + 2
  if (propertiesLength !== end - propertiesStart) {
    return `properties of ${propertiesLength} bytes where ${end - propertiesStart} are left`
  }
  return { totalSize, magic, bodyStart, bodyEnd, topicStart, topicEnd, propertiesStart, propertiesEnd: end }
}

function propertyCrcProblem(buffer: Buffer, offset: number, shape: RecordShape): string | undefined {
  const end = shape.propertiesEnd
  const stated = readCrcProperty(buffer, shape.propertiesStart, end)
  if (stated < 0) return 'the appended CRC is missing'
  const actual = crc32(buffer, offset, end - CRC_PROPERTY_BYTES) & 0x7fffffff
  return stated === actual ? undefined : `record CRC is ${actual}, not ${stated} as appended`
}
