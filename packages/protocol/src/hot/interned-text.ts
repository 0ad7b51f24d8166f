/*
 * Topics, groups and broker names come back with every message. A lossy cache of their texts, by their bytes, saves making
 * the same string again; and a string seen before has its hash at hand when a table is asked for it.
 */

const SLOTS = 1024
const TEXT_BYTES_MAX = 128

interface Entry {
  readonly bytes: Uint8Array
  readonly text: string
}

const entries: (Entry | undefined)[] = new Array<Entry | undefined>(SLOTS).fill(undefined)

/**
 * The text of `source[start, end)`, UTF-8. Bounded: 1,024 texts of at most 128 bytes are remembered, a newer one takes the
 * place of an older one in its slot.
 */
export function internedText(source: Buffer, start: number, end: number): string {
  const length = end - start
  if (length > TEXT_BYTES_MAX) return source.toString('utf8', start, end)
  let hash = length
  for (let index = start; index < end; index++) hash = (Math.imul(hash, 31) + source[index]!) | 0
  const slot = (hash ^ (hash >>> 10)) & (SLOTS - 1)
  const entry = entries[slot]
  if (entry !== undefined && sameBytes(entry.bytes, source, start, length)) return entry.text
  const text = source.toString('utf8', start, end)
  entries[slot] = { bytes: new Uint8Array(source.subarray(start, end)), text }
  return text
}

function sameBytes(bytes: Uint8Array, source: Buffer, start: number, length: number): boolean {
  if (bytes.length !== length) return false
  for (let index = 0; index < length; index++) if (bytes[index] !== source[start + index]) return false
  return true
}
