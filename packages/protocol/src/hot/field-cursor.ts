import { type RemotingCommand, serializeTypes } from '../command.ts'
import { internedText } from './interned-text.ts'
import { jsonText } from './json-text.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN = 0x7b
const BACKSLASH = 0x5c

const noBytes: Buffer = Buffer.alloc(0)

/**
 * Walks over the undecoded ext fields of one command, in either header form, without making the map.
 *
 * Budget per field: nothing is allocated but the value's string, where one is asked for. The one cursor is reused: use it
 * and be done before anything else may run.
 *
 * It understands what Java writes: `{"name":"value",…}` without spaces, no escapes in names. On anything else `failed` is
 * set, `next` returns false, and the caller decodes from the map instead, which is the judge of right and wrong.
 */
export class FieldCursor {
  failed = false
  /** The name's first byte and length tell most fields apart. */
  nameStart = 0
  nameLength = 0
  private source: Buffer = noBytes
  private json = false
  private start = 0
  private at = 0
  private end = 0
  private valueStart = 0
  private valueEnd = 0
  private escaped = false

  /** Stands before the first field. False when the map has been made already or there is no ext section. */
  open(command: RemotingCommand): boolean {
    const source = command.rawExt
    if (source === undefined) return false
    this.source = source
    this.json = command.serializeType === serializeTypes.json
    this.start = command.rawExtStart
    this.at = this.start
    this.end = command.rawExtEnd
    this.failed = false
    return true
  }

  /** Moves to the next field; false at the end or when `failed`. */
  next(): boolean {
    return this.json ? this.nextJson() : this.nextBinary()
  }

  get firstByte(): number {
    return this.source[this.nameStart]!
  }

  /** Whether the name is `name` (ASCII). */
  isNamed(name: string): boolean {
    const length = name.length
    if (length !== this.nameLength) return false
    const source = this.source
    const start = this.nameStart
    for (let index = 0; index < length; index++) {
      if (source[start + index] !== name.charCodeAt(index)) return false
    }
    return true
  }

  /** The value, shared with earlier equal ones: for names that come with every message. */
  name(): string {
    return this.escaped ? this.text() : internedText(this.source, this.valueStart, this.valueEnd)
  }

  text(): string {
    return this.escaped ? this.unescapedText() : this.source.toString('utf8', this.valueStart, this.valueEnd)
  }

  boolean(): boolean {
    const source = this.source
    const start = this.valueStart
    const length = this.valueEnd - start
    if (length === 4 && source[start] === 0x74 && source[start + 1] === 0x72) {
      if (source[start + 2] === 0x75 && source[start + 3] === 0x65) return true
    }
    if (length === 5 && source[start] === 0x66 && source[start + 1] === 0x61) return false
    return this.text().toLowerCase() === 'true'
  }

  /** A 32-bit value; sets `failed` when it isn't one. */
  int32(): number {
    const value = this.int64()
    if ((value | 0) !== value) this.failed = true
    return value
  }

  /** A decimal value of up to 15 digits; sets `failed` for any other text. */
  int64(): number {
    const source = this.source
    const end = this.valueEnd
    let at = this.valueStart
    const negative = source[at] === 0x2d
    if (negative) at++
    if (at >= end || end - at > 15) return this.fail()
    let value = 0
    for (; at < end; at++) {
      const digit = source[at]! - 0x30
      if (digit < 0 || digit > 9) return this.fail()
      value = value * 10 + digit
    }
    return negative && value !== 0 ? -value : value
  }

  private fail(): number {
    this.failed = true
    return 0
  }

  private stop(): boolean {
    this.failed = true
    return false
  }

  private nextJson(): boolean {
    const source = this.source
    const last = this.end - 1
    let at = this.at
    const first = at === this.start
    if (at === last || (first && at + 1 === last)) return false
    if (source[at] !== (first ? OPEN : COMMA) || source[at + 1] !== QUOTE) return this.stop()
    at += 2
    this.nameStart = at
    // The bytes after the section hold quotes, so both loops end inside the frame; `last` is checked afterwards.
    while (source[at] !== QUOTE) {
      if (source[at] === BACKSLASH || source[at]! < 0x20 || at >= last) return this.stop()
      at++
    }
    this.nameLength = at - this.nameStart
    if (source[at + 1] !== COLON || source[at + 2] !== QUOTE) return this.stop()
    at += 3
    this.valueStart = at
    let escaped = false
    for (;;) {
      const byte = source[at]!
      if (byte === QUOTE) break
      if (byte < 0x20 || at >= last) return this.stop()
      if (byte === BACKSLASH) {
        escaped = true
        at++
      }
      at++
    }
    if (at >= last) return this.stop()
    this.valueEnd = at
    this.escaped = escaped
    this.at = at + 1
    return true
  }

  private nextBinary(): boolean {
    const source = this.source
    const end = this.end
    const at = this.at
    if (at >= end) return false
    this.escaped = false
    this.nameStart = at + 2
    if (this.nameStart > end) return this.stop()
    this.nameLength = (source[at]! << 8) | source[at + 1]!
    const nameEnd = this.nameStart + this.nameLength
    if (nameEnd + 4 > end) return this.stop()
    const valueLength =
      (source[nameEnd]! << 24) | (source[nameEnd + 1]! << 16) | (source[nameEnd + 2]! << 8) | source[nameEnd + 3]!
    this.valueStart = nameEnd + 4
    this.valueEnd = this.valueStart + valueLength
    // An empty text is an absent field in this form; rare enough for the map to sort out.
    if (valueLength <= 0 || this.valueEnd > end) return this.stop()
    this.at = this.valueEnd
    return true
  }

  private unescapedText(): string {
    const text = jsonText(this.source, this.valueStart)
    if (text !== undefined) return text
    try {
      return JSON.parse(this.source.toString('utf8', this.valueStart - 1, this.valueEnd + 1)) as string
    } catch {
      this.failed = true
      return ''
    }
  }
}

/** The one cursor. */
export const fieldCursor = new FieldCursor()
