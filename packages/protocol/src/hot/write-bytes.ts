import { quoteJson } from '../json/quote.ts'

/*
 * Writers for response frames: plain ASCII and decimal numbers straight into a buffer. Short texts are copied byte by byte,
 * which costs less than crossing into native code.
 */

/** Writes a constant and returns the offset after it. */
export function writeConstant(target: Buffer, at: number, text: Uint8Array): number {
  const length = text.length
  for (let index = 0; index < length; index++) target[at + index] = text[index]!
  return at + length
}

const digits = new Uint8Array(20)

/** Writes a safe integer in decimal and returns the offset after it. */
export function writeDecimal(target: Buffer, at: number, value: number): number {
  let rest = value
  let offset = at
  if (rest < 0) {
    target[offset++] = 0x2d
    rest = -rest
  }
  let count = 0
  // Integer division by ten is fast only within 31 bits.
  while (rest > 0x3fffffff) {
    const quotient = Math.floor(rest / 10)
    digits[count++] = rest - quotient * 10
    rest = quotient
  }
  do {
    const quotient = (rest / 10) | 0
    digits[count++] = rest - quotient * 10
    rest = quotient
  } while (rest > 0)
  while (count > 0) target[offset++] = 0x30 + digits[--count]!
  return offset
}

/** Number of decimal digits, with the sign, that {@link writeDecimal} writes. */
export function decimalLength(value: number): number {
  let length = value < 0 ? 2 : 1
  for (let rest = Math.abs(value); rest >= 10; rest = Math.floor(rest / 10)) length++
  return length
}

const hexDigits = Buffer.from('0123456789ABCDEF')

/** Writes 16 hexadecimal digits in upper case, as offset message ids have them; returns the offset after them. */
export function writeHex64(target: Buffer, at: number, value: number): number {
  let high = Math.floor(value / 0x1_0000_0000)
  let low = value >>> 0
  for (let index = 7; index >= 0; index--) {
    target[at + index] = hexDigits[high & 15]!
    target[at + 8 + index] = hexDigits[low & 15]!
    high >>>= 4
    low >>>= 4
  }
  return at + 16
}

/**
 * Writes a text of which every character needs no escape in JSON and one byte in UTF-8; returns the offset after it, or
 * -1 at the first other character (the bytes written so far are then worthless).
 */
export function writePlainText(target: Buffer, at: number, text: string): number {
  const length = text.length
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return -1
    target[at + index] = code
  }
  return at + length
}

/**
 * Writes a JSON string with its quotes, as {@link quoteJson} spells it; returns the offset after it. Needs at most six
 * bytes per character, and two.
 */
export function writeQuoted(target: Buffer, at: number, text: string): number {
  const length = text.length
  let offset = at
  target[offset++] = 0x22
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 0x20 && code < 0x7f && code !== 0x22 && code !== 0x5c) {
      target[offset++] = code
    } else if (code === 1 || code === 2) {
      // The separators of properties.
      target[offset] = 0x5c
      target[offset + 1] = 0x75
      target[offset + 2] = 0x30
      target[offset + 3] = 0x30
      target[offset + 4] = 0x30
      target[offset + 5] = 0x30 + code
      offset += 6
    } else {
      return at + target.write(quoteJson(text), at)
    }
  }
  target[offset] = 0x22
  return offset + 1
}

/** Writes a constant as a binary header's field name or value: its length in `lengthBytes`, then its bytes. */
export function binaryText(text: string, lengthBytes: 2 | 4): Buffer {
  const bytes = Buffer.from(text)
  const result = Buffer.alloc(lengthBytes + bytes.length)
  result.writeUIntBE(bytes.length, 0, lengthBytes)
  bytes.copy(result, lengthBytes)
  return result
}
