/**
 * UTF-8 text from `buffer[start, end)`. Most names and properties are ASCII, for which the one-byte form is both faster
 * to make and half the memory; anything else takes the general way. Malformed bytes become U+FFFD.
 */
export function readText(buffer: Buffer, start: number, end: number): string {
  for (let i = start; i < end; i++) {
    if (buffer[i]! > 0x7f) return buffer.toString('utf8', start, end)
  }
  return buffer.toString('latin1', start, end)
}

/** True when `buffer[start, end)` is exactly the ASCII text `text`. */
export function isAsciiText(buffer: Uint8Array, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false
  for (let i = 0; i < text.length; i++) {
    const code = buffer[start + i]!
    if (code > 0x7f || code !== text.charCodeAt(i)) return false
  }
  return true
}
