import { RemotingCommand, serializeTypes } from '../command.ts'
import { languageOfHeader } from '../language.ts'

/*
 * Budget per header: one command object, no string (the language is interned, the remark mostly absent). JSON.parse takes
 * three times as long for a whole send request, mainly for the escapes in its properties and the map that nobody needs.
 *
 * What is read here is exactly what Java's writer produces,
 *
 *   {"code":N,"extFields":{…},"flag":N,"language":"X","opaque":N,"remark":"…","serializeTypeCurrentRPC":"JSON","version":N}
 *            └─ may be absent ┘                                └ may be absent ┘
 *
 * from both ends inwards, so that the ext section is found without looking into it: it is whatever lies between. A quote
 * inside a JSON string is escaped, so the literal pieces, which hold bare quotes, can't be mistaken. Any other form yields
 * undefined, and the general reader decides.
 */

const codeText = Buffer.from('{"code":')
const extText = Buffer.from(',"extFields":')
const flagText = Buffer.from(',"flag":')
const languageText = Buffer.from(',"language":"')
const opaqueText = Buffer.from('","opaque":')
const remarkText = Buffer.from(',"remark":"')
const versionText = Buffer.from(',"serializeTypeCurrentRPC":"JSON","version":')

const QUOTE = 0x22
const MINUS = 0x2d
const BACKSLASH = 0x5c
const CLOSE = 0x7d
const OPEN = 0x7b

/** Digits of the shortest header this can be; shorter ones needn't be looked at. */
const MIN_BYTES = 90

/** Outcome of {@link numberBefore} and {@link numberAt}, which have two results. */
let number = 0

/** Reads the header `source[start, end)` if it has Java's form. */
export function scanJsonHead(source: Buffer, start: number, end: number): RemotingCommand | undefined {
  if (end - start < MIN_BYTES || source[end - 1] !== CLOSE || !matches(source, start, codeText)) return undefined
  const codeEnd = numberAt(source, start + codeText.length, end)
  if (codeEnd < 0) return undefined
  const code = number

  let at = numberBefore(source, end - 1, codeEnd)
  if (at < 0) return undefined
  const version = number
  at -= versionText.length
  if (at < codeEnd || !matches(source, at, versionText)) return undefined

  let remark: string | undefined
  if (source[at - 1] === QUOTE) {
    const remarkEnd = at - 1
    const remarkStart = openingQuote(source, remarkEnd - 1, codeEnd) + 1
    at = remarkStart - remarkText.length
    if (remarkStart === 0 || at < codeEnd || !matches(source, at, remarkText)) return undefined
    remark = remarkOf(source, remarkStart, remarkEnd)
    if (remark === undefined) return undefined
  }
  at = numberBefore(source, at, codeEnd)
  if (at < 0) return undefined
  const opaque = number
  at -= opaqueText.length
  if (at < codeEnd || !matches(source, at, opaqueText)) return undefined
  const languageEnd = at
  at = openingQuote(source, languageEnd - 1, codeEnd) + 1
  const languageStart = at
  at -= languageText.length
  if (languageStart === 0 || at < codeEnd || !matches(source, at, languageText)) return undefined
  at = numberBefore(source, at, codeEnd)
  if (at < 0) return undefined
  const flag = number
  at -= flagText.length
  if (at < codeEnd || !matches(source, at, flagText)) return undefined

  const language = languageAt(source, languageStart, languageEnd)
  if (language === undefined) return undefined

  const command = new RemotingCommand(
    code,
    language,
    version,
    opaque,
    flag,
    remark,
    undefined,
    undefined,
    serializeTypes.json,
  )
  if (at === codeEnd) return command
  const extStart = codeEnd + extText.length
  if (at < extStart + 2 || !matches(source, codeEnd, extText)) return undefined
  if (source[extStart] !== OPEN || source[at - 1] !== CLOSE) return undefined
  command.rawExt = source
  command.rawExtStart = extStart
  command.rawExtEnd = at
  return command
}

function matches(source: Buffer, at: number, text: Buffer): boolean {
  for (let index = 0; index < text.length; index++) {
    if (source[at + index] !== text[index]) return false
  }
  return true
}

/** Reads an int32 that begins at `at`; returns the offset after it, or -1. */
function numberAt(source: Buffer, at: number, limit: number): number {
  let end = at
  if (source[end] === MINUS) end++
  while (end < limit && isDigit(source[end]!)) end++
  return int32Between(source, at, end) ? end : -1
}

/** Reads an int32 that ends before `end`; returns its offset, or -1. */
function numberBefore(source: Buffer, end: number, limit: number): number {
  let start = end
  while (start > limit && isDigit(source[start - 1]!)) start--
  if (source[start - 1] === MINUS) start--
  return int32Between(source, start, end) ? start : -1
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function isNameByte(byte: number): boolean {
  return isDigit(byte) || byte === 0x5f || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
}

/** JSON knows no leading zeros, and more than ten digits are no int32. */
function int32Between(source: Buffer, start: number, end: number): boolean {
  const negative = source[start] === MINUS
  const first = negative ? start + 1 : start
  const digits = end - first
  if (digits < 1 || digits > 10 || (digits > 1 && source[first] === 0x30)) return false
  let value = 0
  for (let index = first; index < end; index++) value = value * 10 + (source[index]! - 0x30)
  number = negative ? -value : value
  return (number | 0) === number && !(negative && value === 0)
}

/** The offset of the unescaped quote at or before `at`, or -1. */
function openingQuote(source: Buffer, at: number, limit: number): number {
  for (let index = at; index > limit; index--) {
    if (source[index] !== QUOTE) continue
    let backslashes = 0
    while (source[index - 1 - backslashes] === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return index
  }
  return -1
}

/** Undefined when the text isn't a JSON string. */
function remarkOf(source: Buffer, start: number, end: number): string | undefined {
  for (let index = start; index < end; index++) {
    const byte = source[index]!
    if (byte === BACKSLASH || byte < 0x20) return parsedString(source, start, end)
  }
  return source.toString('utf8', start, end)
}

function parsedString(source: Buffer, start: number, end: number): string | undefined {
  try {
    const text: unknown = JSON.parse(source.toString('utf8', start - 1, end + 1))
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}

/** Undefined for a name that only a general reader should judge. */
function languageAt(source: Buffer, start: number, end: number): string | undefined {
  if (
    end - start === 4 &&
    source[start] === 0x4a &&
    source[start + 1] === 0x41 &&
    source[start + 2] === 0x56 &&
    source[start + 3] === 0x41
  ) {
    return 'JAVA'
  }
  for (let index = start; index < end; index++) if (!isNameByte(source[index]!)) return undefined
  return languageOfHeader(source.toString('latin1', start, end))
}
