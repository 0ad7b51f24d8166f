const MASK = 0xffffffffffffffffn
const C1 = 0x87c37b91114253d5n
const C2 = 0x4cf5ad432745937fn

function rotate(value: bigint, bits: bigint): bigint {
  return ((value << bits) | (value >> (64n - bits))) & MASK
}

function finish(value: bigint): bigint {
  let mixed = value ^ (value >> 33n)
  mixed = (mixed * 0xff51afd7ed558ccdn) & MASK
  mixed ^= mixed >> 33n
  mixed = (mixed * 0xc4ceb9fe1a85ec53n) & MASK
  return mixed ^ (mixed >> 33n)
}

const scramble1 = (k: bigint) => (rotate((k * C1) & MASK, 31n) * C2) & MASK
const scramble2 = (k: bigint) => (rotate((k * C2) & MASK, 33n) * C1) & MASK

/**
 * The first 64 bits of MurmurHash3 x64 128 with seed 0, as two int32, low and high. Once per subscription, so that it may
 * use bigints. After Austin Appleby's MurmurHash3, which is in the public domain.
 */
export function murmur3Low64(bytes: Buffer): readonly [low: number, high: number] {
  let h1 = 0n
  let h2 = 0n
  const blocksEnd = bytes.length - (bytes.length % 16)
  for (let at = 0; at < blocksEnd; at += 16) {
    h1 ^= scramble1(bytes.readBigUInt64LE(at))
    h1 = (((rotate(h1, 27n) + h2) & MASK) * 5n + 0x52dce729n) & MASK
    h2 ^= scramble2(bytes.readBigUInt64LE(at + 8))
    h2 = (((rotate(h2, 31n) + h1) & MASK) * 5n + 0x38495ab5n) & MASK
  }
  if (blocksEnd < bytes.length) {
    const rest = Buffer.alloc(16)
    bytes.copy(rest, 0, blocksEnd)
    h2 ^= scramble2(rest.readBigUInt64LE(8))
    h1 ^= scramble1(rest.readBigUInt64LE(0))
  }
  const length = BigInt(bytes.length)
  h1 = ((h1 ^ length) + (h2 ^ length)) & MASK
  h2 = ((h2 ^ length) + h1) & MASK
  h1 = finish(h1)
  h1 = (h1 + finish(h2)) & MASK
  return [Number(BigInt.asIntN(32, h1)), Number(BigInt.asIntN(32, h1 >> 32n))]
}
