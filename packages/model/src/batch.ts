import { RocketMqError } from '@rocketmq-ts/runtime'
import { readInt32, writeInt32 } from './int64.ts'
import { PROPERTIES_LIMIT_BYTES } from './properties.ts'

/**
 * The body of a batch, both on SEND_BATCH_MESSAGE and inside a stored inner batch: per message
 *
 * | int32 size of entry | int32 magic = 0 | int32 crc = 0 | int32 flag | int32 n, n bytes body | int16 n, n bytes properties |
 */
export interface BatchEntry {
  readonly flag: number
  readonly body: Buffer
  readonly propertiesText: string
}

/** Bytes of an entry beside its body and properties. */
export const BATCH_ENTRY_FIXED_BYTES = 22

/** Throws INVALID_ARGUMENT when an entry's properties exceed 32,767 bytes. */
export function encodeBatch(entries: readonly BatchEntry[]): Buffer {
  const propertyBytes: number[] = []
  let total = 0
  for (const entry of entries) {
    const length = Buffer.byteLength(entry.propertiesText)
    if (length > PROPERTIES_LIMIT_BYTES) {
      throw new RocketMqError(
        'INVALID_ARGUMENT',
        `Properties of a message in the batch take ${length} bytes, at most ${PROPERTIES_LIMIT_BYTES} are allowed.`,
      )
    }
    propertyBytes.push(length)
    total += BATCH_ENTRY_FIXED_BYTES + entry.body.length + length
  }
  const buffer = Buffer.allocUnsafe(total)
  let at = 0
  for (const [i, entry] of entries.entries()) {
    const propertiesLength = propertyBytes[i]!
    at = writeInt32(buffer, BATCH_ENTRY_FIXED_BYTES + entry.body.length + propertiesLength, at)
    at = writeInt32(buffer, 0, at)
    at = writeInt32(buffer, 0, at)
    at = writeInt32(buffer, entry.flag, at)
    at = writeInt32(buffer, entry.body.length, at)
    at += entry.body.copy(buffer, at)
    buffer.writeInt16BE(propertiesLength, at)
    at += 2
    at += buffer.write(entry.propertiesText, at, 'utf8')
  }
  return buffer
}

/** Throws BODY_INVALID, naming the entry, when a length is wrong. Bodies are slices of `buffer`. */
export function decodeBatch(buffer: Buffer): BatchEntry[] {
  const entries: BatchEntry[] = []
  let at = 0
  while (at < buffer.length) {
    const size = buffer.length - at >= BATCH_ENTRY_FIXED_BYTES ? readInt32(buffer, at) : -1
    if (size < BATCH_ENTRY_FIXED_BYTES || size > buffer.length - at) throw invalidEntry(entries.length, at, 'its size')
    const bodyLength = readInt32(buffer, at + 16)
    if (bodyLength < 0 || bodyLength > size - BATCH_ENTRY_FIXED_BYTES) {
      throw invalidEntry(entries.length, at, 'the length of its body')
    }
    const bodyStart = at + 20
    const propertiesStart = bodyStart + bodyLength + 2
    const propertiesLength = buffer.readInt16BE(propertiesStart - 2)
    if (propertiesLength !== at + size - propertiesStart) {
      throw invalidEntry(entries.length, at, 'the length of its properties')
    }
    entries.push({
      flag: readInt32(buffer, at + 12),
      body: buffer.subarray(bodyStart, bodyStart + bodyLength),
      propertiesText: buffer.toString('utf8', propertiesStart, propertiesStart + propertiesLength),
    })
    at += size
  }
  return entries
}

function invalidEntry(index: number, at: number, what: string): RocketMqError {
  return new RocketMqError('BODY_INVALID', `Batch entry ${index} at byte ${at}: ${what} doesn't fit.`)
}
