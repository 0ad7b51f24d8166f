/**
 * Consume queue entries in memory: five int32 each, in the machine's byte order.
 *
 *   [physical offset, high][physical offset, low][size][tags code, high][tags code, low]
 *
 * On disk the same 20 bytes are big-endian: i64 physical offset, i32 size, i64 tags code.
 */
export const ENTRY_BYTES = 20
export const ENTRY_INTS = 5

const TWO_32 = 4294967296

/** A run of entries of one queue: entry `firstOffset + i` is at `ints[(first + i) * 5]`. */
export interface EntryWindow {
  readonly ints: Int32Array
  /** Index of the first entry of the run. */
  readonly first: number
  readonly firstOffset: number
  readonly count: number
}

/** Writes entry number `index` of `ints`. */
export function setEntry(
  ints: Int32Array,
  index: number,
  physicalOffset: number,
  size: number,
  tagsHigh: number,
  tagsLow: number,
): void {
  const at = index * ENTRY_INTS
  ints[at] = Math.floor(physicalOffset / TWO_32)
  ints[at + 1] = physicalOffset
  ints[at + 2] = size
  ints[at + 3] = tagsHigh
  ints[at + 4] = tagsLow
}

export function entryPhysicalOffset(ints: Int32Array, index: number): number {
  const at = index * ENTRY_INTS
  return ints[at]! * TWO_32 + (ints[at + 1]! >>> 0)
}

export function entrySize(ints: Int32Array, index: number): number {
  return ints[index * ENTRY_INTS + 2]!
}

export function entryTagsHigh(ints: Int32Array, index: number): number {
  return ints[index * ENTRY_INTS + 3]!
}

export function entryTagsLow(ints: Int32Array, index: number): number {
  return ints[index * ENTRY_INTS + 4]!
}

/** The 64 bits of a tags code as a number; exact within 2^53, which times are and hashes are. */
export function entryTagsCode(ints: Int32Array, index: number): number {
  const at = index * ENTRY_INTS
  return ints[at + 3]! * TWO_32 + (ints[at + 4]! >>> 0)
}

/** Entries of `bytes` (big-endian, a whole number of them) in memory form; `bytes` is left as it is. */
export function decodeEntries(bytes: Buffer): Int32Array {
  const ints = new Int32Array(bytes.length / 4)
  const copy = Buffer.from(ints.buffer)
  copy.set(bytes)
  if (bytes.length > 0) copy.swap32()
  return ints
}
