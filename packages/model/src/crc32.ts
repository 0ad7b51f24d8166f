import * as zlib from 'node:zlib'

/** Native CRC-32, present from Node 20.15 and 22.2 on. */
const native = (zlib as { crc32?: (data: Uint8Array, value?: number) => number }).crc32

/** Below this size the call into native code (some 130 ns) costs more than the tables (some 0.75 ns a byte). */
const NATIVE_MIN_BYTES = 256

/** Eight tables of 256 words: table k gives the effect of a byte that is followed by k others. */
const tables = buildTables()

function buildTables(): Uint32Array[] {
  const result: Uint32Array[] = [new Uint32Array(256)]
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
    result[0]![byte] = crc >>> 0
  }
  for (let k = 1; k < 8; k++) {
    const table = new Uint32Array(256)
    const previous = result[k - 1]!
    for (let byte = 0; byte < 256; byte++) {
      table[byte] = (previous[byte]! >>> 8) ^ result[0]![previous[byte]! & 0xff]!
    }
    result.push(table)
  }
  return result
}

const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
]

/** CRC-32 by tables, eight bytes a step; what {@link crc32} uses where Node has no native one, and for few bytes. */
export function crc32ByTables(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let crc = ~seed
  let i = start
  for (const stop = end - 7; i < stop; i += 8) {
    crc ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
    crc =
      t7[crc & 0xff]! ^
      t6[(crc >>> 8) & 0xff]! ^
      t5[(crc >>> 16) & 0xff]! ^
      t4[crc >>> 24]! ^
      t3[bytes[i + 4]!]! ^
      t2[bytes[i + 5]!]! ^
      t1[bytes[i + 6]!]! ^
      t0[bytes[i + 7]!]!
  }
  for (; i < end; i++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[i]!) & 0xff]!
  return ~crc >>> 0
}

/**
 * CRC-32 (IEEE) of `bytes[start, end)` as uint32. `seed` is the CRC of what came before, so that a sequence of pieces
 * gives the CRC of the whole.
 */
export function crc32(bytes: Uint8Array, start = 0, end: number = bytes.length, seed = 0): number {
  if (native === undefined || end - start < NATIVE_MIN_BYTES) return crc32ByTables(bytes, start, end, seed)
  return native(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), seed)
}

/**
 * The CRC that records, registrations and appended properties carry: CRC-32 with the top bit cleared; 0 for no bytes.
 * Source: UtilAll#crc32, 5.3.x.
 */
export function bodyCrc(bytes: Uint8Array): number {
  return bytes.length === 0 ? 0 : crc32(bytes) & 0x7fffffff
}
