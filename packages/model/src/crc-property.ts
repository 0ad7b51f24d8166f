import { crc32 } from './crc32.ts'
import { propertyNames } from './property-names.ts'

/**
 * The CRC that a broker may append to a record as its last property: `__CRC32#` \x01 ten digits \x02, the digits least
 * significant first. It covers every byte of the record before it.
 * Source: MessageDecoder#createCrc32, 5.3.x.
 */

const head = Buffer.from(`${propertyNames.crc32}\u0001`, 'latin1')

/** Bytes that the appended property takes. */
export const CRC_PROPERTY_BYTES: number = head.length + 10 + 1

/** The property as text, for `crc` from 0 to 2^31 - 1. */
export function crcPropertyText(crc: number): string {
  let digits = ''
  for (let rest = crc; digits.length < 10; rest = Math.floor(rest / 10)) digits += rest % 10
  return `${propertyNames.crc32}\u0001${digits}\u0002`
}

/** Computes the CRC of `record[start, end - 20)` and writes the property into the last 20 bytes before `end`. */
export function writeCrcProperty(record: Buffer, start: number, end: number): void {
  const at = end - CRC_PROPERTY_BYTES
  const crc = crc32(record, start, at) & 0x7fffffff
  record.write(crcPropertyText(crc), at, 'latin1')
}

/**
 * The CRC that the last 20 bytes before `end` state, or -1 when they aren't such a property. `start` is where the
 * properties begin.
 */
export function readCrcProperty(record: Uint8Array, start: number, end: number): number {
  const at = end - CRC_PROPERTY_BYTES
  if (at < start || record[end - 1] !== 2) return -1
  for (let i = 0; i < head.length; i++) if (record[at + i] !== head[i]) return -1
  let crc = 0
  for (let i = end - 2; i >= at + head.length; i--) {
    const digit = record[i]! - 0x30
    if (digit < 0 || digit > 9) return -1
    crc = crc * 10 + digit
  }
  return crc
}
