/*
 * Strings inside a JSON header, taken off the bytes in one pass. Java escapes the separators inside properties (U+0001 and
 * U+0002), so escapes are the common case of that one field and nowhere else.
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const UNICODE = 0x75

/** Longest text that is unescaped here. */
const SCRATCH_BYTES = 65_536
/** Node's own way from bytes to Latin-1 text, without the detour over the name of the encoding. */
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES) as Buffer & { latin1Slice(start: number, end: number): string }

/** Offset of the closing quote that {@link jsonText} found. */
export let jsonTextEnd = 0

/**
 * The JSON string whose first character is at `start`; {@link jsonTextEnd} tells where it ends. Undefined when only a
 * general reader should judge it: too long, escapes beyond one byte of UTF-8, or no JSON at all. There is a quote
 * somewhere after `start` in `source`.
 */
export function jsonText(source: Buffer, start: number): string | undefined {
  let bits = 0
  let length = 0
  for (let at = start; length < SCRATCH_BYTES; ) {
    let byte = source[at++]!
    if (byte === QUOTE) {
      jsonTextEnd = at - 1
      return bits < 0x80 ? scratch.latin1Slice(0, length) : scratch.toString('utf8', 0, length)
    }
    if (byte < 0x20) return undefined
    if (byte === BACKSLASH) {
      byte = source[at++]!
      if (byte === UNICODE) {
        if (source[at] !== 0x30 || source[at + 1] !== 0x30) return undefined
        byte = (hexDigit(source[at + 2]!) << 4) | hexDigit(source[at + 3]!)
        at += 4
        if (byte < 0 || byte > 0x7f) return undefined
      } else {
        byte = shortEscape(byte)
        if (byte < 0) return undefined
      }
    }
    bits |= byte
    scratch[length++] = byte
  }
  return undefined
}

/** Negative when `byte` is no hexadecimal digit. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -256
}

/** What a backslash and this byte stand for; negative when nothing. */
function shortEscape(byte: number): number {
  switch (byte) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
      return byte
    case 0x62:
      return 8
    case 0x66:
      return 12
    case 0x6e:
      return 10
    case 0x72:
      return 13
    case 0x74:
      return 9
    default:
      return -1
  }
}
