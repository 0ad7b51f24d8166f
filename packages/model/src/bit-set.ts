import { RocketMqError } from '@rocketmq-ts/runtime'

/** A set of small numbers as Java's BitSet writes it: bit n is bit n mod 8 of byte n / 8, zero bytes at the end dropped. */

/** Most bits that {@link decodeBitSet} hands out; a POP answer never holds more messages. */
export const BIT_SET_LIMIT = 65_536

/** Bytes of the set. `bits` are 0 or more, in any order. */
export function encodeBitSet(bits: Iterable<number>): Buffer {
  const list = [...bits]
  let highest = -1
  for (const bit of list) {
    if (!Number.isInteger(bit) || bit < 0 || bit >= BIT_SET_LIMIT) {
      throw new RocketMqError('INVALID_ARGUMENT', `Bit ${bit} is not between 0 and ${BIT_SET_LIMIT - 1}.`)
    }
    if (bit > highest) highest = bit
  }
  const bytes = Buffer.alloc((highest + 8) >>> 3)
  for (const bit of list) bytes[bit >>> 3]! |= 1 << (bit & 7)
  return bytes
}

/** The numbers in the set, ascending. Throws BODY_INVALID for more than {@link BIT_SET_LIMIT} bits. */
export function decodeBitSet(bytes: Uint8Array): number[] {
  if (bytes.length * 8 > BIT_SET_LIMIT) {
    throw new RocketMqError('BODY_INVALID', `A bit set of ${bytes.length} bytes is too long.`)
  }
  const bits: number[] = []
  for (let i = 0; i < bytes.length; i++) {
    for (let bit = 0; bit < 8; bit++) if (bytes[i]! & (1 << bit)) bits.push(i * 8 + bit)
  }
  return bits
}
