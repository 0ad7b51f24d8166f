/**
 * Big-endian 64-bit integers as `number`. Exact within ±(2^53 - 1); a stored value beyond is read as the nearest number,
 * and a number beyond int64 is written as the nearest int64.
 */

const TWO_32 = 4294967296
const TWO_63 = 2 ** 63

/** Reads the int64 at `offset`. The caller has checked that 8 bytes are there. */
export function readInt64(buffer: Uint8Array, offset: number): number {
  const high = (buffer[offset]! << 24) | (buffer[offset + 1]! << 16) | (buffer[offset + 2]! << 8) | buffer[offset + 3]!
  const low =
    ((buffer[offset + 4]! << 24) | (buffer[offset + 5]! << 16) | (buffer[offset + 6]! << 8) | buffer[offset + 7]!) >>> 0
  return high * TWO_32 + low
}

/** Writes `value` (an integer) as int64 at `offset`; returns the offset behind it. */
export function writeInt64(buffer: Uint8Array, value: number, offset: number): number {
  let high: number
  let low: number
  if (value >= TWO_63) {
    high = 0x7fffffff
    low = 0xffffffff
  } else if (value < -TWO_63) {
    high = 0x80000000
    low = 0
  } else {
    high = Math.floor(value / TWO_32)
    low = value - high * TWO_32
  }
  buffer[offset] = high >>> 24
  buffer[offset + 1] = high >>> 16
  buffer[offset + 2] = high >>> 8
  buffer[offset + 3] = high
  buffer[offset + 4] = low >>> 24
  buffer[offset + 5] = low >>> 16
  buffer[offset + 6] = low >>> 8
  buffer[offset + 7] = low
  return offset + 8
}

/** Reads the int32 at `offset`. The caller has checked that 4 bytes are there. */
export function readInt32(buffer: Uint8Array, offset: number): number {
  return (buffer[offset]! << 24) | (buffer[offset + 1]! << 16) | (buffer[offset + 2]! << 8) | buffer[offset + 3]!
}

/** Writes the low 32 bits of `value` at `offset`; returns the offset behind them. */
export function writeInt32(buffer: Uint8Array, value: number, offset: number): number {
  buffer[offset] = value >>> 24
  buffer[offset + 1] = value >>> 16
  buffer[offset + 2] = value >>> 8
  buffer[offset + 3] = value
  return offset + 4
}
