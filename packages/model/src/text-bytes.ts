/** UTF-8 text from `buffer[start, end)`. Malformed bytes become U+FFFD. */
export function readText(buffer: Buffer, start: number, end: number): string {
  // Scanning for ASCII to take the one-byte decoder was measured: it costs more than the general decoder does.
  return buffer.toString('utf8', start, end)
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
