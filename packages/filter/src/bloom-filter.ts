import { assert } from '@rocketmq-ts/runtime'
import { murmur3Low64 } from './murmur3.ts'

/**
 * The Bloom filter in which a broker notes, per message, the groups whose selection it fits. Bit p of a map is bit p & 7 of
 * byte p >> 3.
 * Source: BloomFilter, BitsArray, 5.3.x
 */
export class BloomFilter {
  /** Bits per key. */
  readonly hashCount: number
  /** Bits in all, whole bytes. */
  readonly bitCount: number

  /** For `expected` keys (1 or more) of which `errorPercent` (1 to 99) may be found wrongly. */
  constructor(errorPercent: number, expected: number) {
    assert(errorPercent >= 1 && errorPercent < 100, 'an error rate is 1 to 99 percent')
    assert(expected >= 1, 'a filter is for one key or more')
    const rate = errorPercent / 100
    this.hashCount = Math.ceil(Math.log(rate) / Math.log(0.5))
    const bits = Math.ceil(expected * (Math.log(1 / rate) / Math.log(2)) * (Math.log(Math.E) / Math.log(2)))
    this.bitCount = Math.ceil(bits / 8) * 8
  }

  /** The bits of a key; for subscriptions it is `group#topic`. */
  positionsOf(key: string): number[] {
    const [low, high] = murmur3Low64(Buffer.from(key, 'utf8'))
    const positions: number[] = []
    for (let i = 1; i <= this.hashCount; i++) {
      const hash = (low + Math.imul(i, high)) | 0
      positions.push((hash < 0 ? ~hash : hash) % this.bitCount)
    }
    return positions
  }

  /** A map without any bit. */
  newMap(): Buffer {
    return Buffer.alloc(this.bitCount / 8)
  }

  /** Sets the bits at `positions`, which are below {@link bitCount}. */
  add(map: Buffer, positions: readonly number[]): void {
    for (const position of positions) map[position >> 3]! |= 1 << (position & 7)
  }

  /** Whether all bits at `positions` are set: false means surely not, true probably. */
  has(map: Buffer, positions: readonly number[]): boolean {
    return positions.every(position => ((map[position >> 3] ?? 0) & (1 << (position & 7))) !== 0)
  }
}
