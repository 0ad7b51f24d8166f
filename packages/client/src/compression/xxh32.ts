const prime1 = 0x9e3779b1
const prime2 = 0x85ebca77
const prime3 = 0xc2b2ae3d
const prime4 = 0x27d4eb2f
const prime5 = 0x165667b1

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

function round(accumulator: number, lane: number): number {
  return Math.imul(rotate((accumulator + Math.imul(lane, prime2)) | 0, 13), prime1)
}

/** xxHash, 32 bits, seed 0, of `bytes[start, end)`, as an unsigned number: the checksum of LZ4 frames. */
export function xxh32(bytes: Buffer, start = 0, end = bytes.length): number {
  let at = start
  let hash: number
  if (end - start >= 16) {
    let a = (prime1 + prime2) | 0
    let b = prime2 | 0
    let c = 0
    let d = -prime1 | 0
    for (; at <= end - 16; at += 16) {
      a = round(a, bytes.readInt32LE(at))
      b = round(b, bytes.readInt32LE(at + 4))
      c = round(c, bytes.readInt32LE(at + 8))
      d = round(d, bytes.readInt32LE(at + 12))
    }
    hash = (rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)) | 0
  } else {
    hash = prime5 | 0
  }
  hash = (hash + (end - start)) | 0
  for (; at <= end - 4; at += 4) {
    hash = Math.imul(rotate((hash + Math.imul(bytes.readInt32LE(at), prime3)) | 0, 17), prime4)
  }
  for (; at < end; at++) hash = Math.imul(rotate((hash + Math.imul(bytes[at]!, prime5)) | 0, 11), prime1)
  hash = Math.imul(hash ^ (hash >>> 15), prime2)
  hash = Math.imul(hash ^ (hash >>> 13), prime3)
  return (hash ^ (hash >>> 16)) >>> 0
}
