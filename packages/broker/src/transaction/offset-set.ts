const CHUNK_BITS = 32_768
const CHUNK_WORDS = CHUNK_BITS / 32

/**
 * A set of queue offsets that lie close to each other, one bit each: 4 KiB for every 32,768 offsets of which one is in it.
 * Bounded by whoever adds, and by {@link OffsetSet.forgetBelow}.
 */
export class OffsetSet {
  readonly #chunks = new Map<number, Uint32Array>()

  has(offset: number): boolean {
    const chunk = this.#chunks.get(Math.floor(offset / CHUNK_BITS))
    if (chunk === undefined) return false
    const bit = offset % CHUNK_BITS
    return ((chunk[bit >>> 5] as number) & (1 << (bit & 31))) !== 0
  }

  add(offset: number): void {
    const index = Math.floor(offset / CHUNK_BITS)
    let chunk = this.#chunks.get(index)
    if (chunk === undefined) {
      chunk = new Uint32Array(CHUNK_WORDS)
      this.#chunks.set(index, chunk)
    }
    const bit = offset % CHUNK_BITS
    chunk[bit >>> 5]! |= 1 << (bit & 31)
  }

  delete(offset: number): void {
    const chunk = this.#chunks.get(Math.floor(offset / CHUNK_BITS))
    const bit = offset % CHUNK_BITS
    if (chunk !== undefined) chunk[bit >>> 5]! &= ~(1 << (bit & 31))
  }

  /** Gives back the memory of offsets below `offset`; some of them may stay in the set. */
  forgetBelow(offset: number): void {
    const first = Math.floor(offset / CHUNK_BITS)
    for (const index of this.#chunks.keys()) if (index < first) this.#chunks.delete(index)
  }
}
