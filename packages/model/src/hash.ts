/** Java's hashes that travel on the wire or lie on disk. */

/** `String.hashCode` of Java over UTF-16 units, an int32. */
export function javaHashCode(text: string): number {
  let hash = 0
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0
  return hash
}

/** The tags code of a message with this TAGS property, an int32; 0 without tags. The whole text is one tag. */
export function tagsCodeOf(tags: string | undefined): number {
  return tags === undefined ? 0 : javaHashCode(tags)
}

/** The text that the key index hashes for a key of a topic. */
export function indexKey(topic: string, key: string): string {
  return `${topic}#${key}`
}

/**
 * The hash that the key index stores, 0 to 2^31 - 1.
 * Source: IndexFile#indexKeyHashMethod, 5.3.x.
 */
export function indexKeyHash(keyText: string): number {
  const hash = Math.abs(javaHashCode(keyText))
  return hash > 0x7fffffff ? 0 : hash
}

/** Name of the log file that begins at `offset` (0 or more): 20 decimal digits. */
export function fileNameOfOffset(offset: number | bigint): string {
  return BigInt(offset).toString().padStart(20, '0')
}
