import { RocketMqError } from '@rocketmq-ts/runtime'
import { JsonMap } from './json-map.ts'
import { type Reference, resolveReferences } from './references.ts'

/** Nesting beyond which a text is refused. The deepest body of RocketMQ has ten levels. */
export const JSON_DEPTH_LIMIT = 128

const doubleQuotedStop = /["\\]/g
const singleQuotedStop = /['\\]/g
const numberPattern = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y
const namePattern = /[\p{L}_$][\p{L}\p{N}_$]*/uy

const shortEscapes: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/**
 * Recursive descent over fastjson's dialect. Accepts, beyond JSON: names without quotes or in single quotes, numbers and
 * objects as names, strings in single quotes, raw control characters in strings, commas too many, comments, NaN, numbers
 * with a type letter. Long integers become bigint.
 */
export class FastjsonParser {
  private readonly text: string
  private at = 0
  private depth = 0
  private readonly references: Reference[] = []

  constructor(text: string) {
    this.text = text
  }

  parse(): unknown {
    this.skipSpace()
    let value = this.value()
    this.skipSpace()
    if (this.at < this.text.length) throw this.unexpected()
    if (this.references.length > 0) value = resolveReferences(value, this.references)
    return value
  }

  private fail(what: string): RocketMqError {
    return new RocketMqError('BODY_INVALID', `JSON at character ${this.at}: ${what}.`)
  }

  private unexpected(): RocketMqError {
    const character = this.text[this.at]
    return this.fail(character === undefined ? 'the text ends too early' : `unexpected ${JSON.stringify(character)}`)
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0x0c || code === 0x08) this.at++
      else if (code === 0xfeff && this.at === 0) this.at++
      else if (code === 0x2f) this.skipComment()
      else return
    }
  }

  private skipComment(): void {
    const isLine = this.text[this.at + 1] === '/'
    if (!isLine && this.text[this.at + 1] !== '*') throw this.unexpected()
    const end = this.text.indexOf(isLine ? '\n' : '*/', this.at + 2)
    if (end < 0 && !isLine) throw this.fail('the comment has no end')
    this.at = end < 0 ? this.text.length : end + (isLine ? 1 : 2)
  }

  private value(): unknown {
    switch (this.text.charCodeAt(this.at)) {
      case 0x7b:
        return this.object()
      case 0x5b:
        return this.array()
      case 0x22:
      case 0x27:
        return this.string()
      default:
        return this.numberOrWord()
    }
  }

  private enter(): void {
    this.at++
    if (++this.depth > JSON_DEPTH_LIMIT) throw this.fail(`more than ${JSON_DEPTH_LIMIT} levels`)
  }

  private object(): unknown {
    this.enter()
    const pairs: [unknown, unknown][] = []
    let hasObjectKey = false
    this.skipCommas()
    while (this.text[this.at] !== '}') {
      const key = this.key()
      if (typeof key === 'object' && key !== null) hasObjectKey = true
      this.skipSpace()
      if (this.text[this.at] !== ':') throw this.unexpected()
      this.at++
      this.skipSpace()
      pairs.push([key, this.value()])
      this.endOfItem('}')
    }
    this.at++
    this.depth--
    const value = hasObjectKey ? new JsonMap(pairs) : plainObject(pairs)
    const first = pairs[0]
    if (pairs.length === 1 && first![0] === '$ref' && typeof first![1] === 'string') {
      this.references.push({ holder: value as object, path: first![1], at: this.at })
    }
    return value
  }

  private key(): unknown {
    const code = this.text.charCodeAt(this.at)
    if (code === 0x7b || code === 0x5b) return this.value()
    if (code === 0x22 || code === 0x27) return this.string()
    namePattern.lastIndex = this.at
    const name = namePattern.exec(this.text)
    if (name !== null) {
      this.at += name[0].length
      return name[0]
    }
    const number = this.numberText()
    if (number === undefined) throw this.unexpected()
    return number
  }

  private array(): unknown[] {
    this.enter()
    const items: unknown[] = []
    this.skipCommas()
    while (this.text[this.at] !== ']') {
      items.push(this.value())
      this.endOfItem(']')
    }
    this.at++
    this.depth--
    return items
  }

  /** After an item: commas, unless the container ends. */
  private endOfItem(close: string): void {
    this.skipSpace()
    const character = this.text[this.at]
    if (character === close) return
    if (character !== ',') throw this.unexpected()
    this.skipCommas()
  }

  private skipCommas(): void {
    this.skipSpace()
    while (this.text[this.at] === ',') {
      this.at++
      this.skipSpace()
    }
  }

  private string(): string {
    const quote = this.text[this.at]!
    const pattern = quote === '"' ? doubleQuotedStop : singleQuotedStop
    let result = ''
    let start = this.at + 1
    for (;;) {
      pattern.lastIndex = start
      const match = pattern.exec(this.text)
      if (match === null) throw this.fail('the string has no end')
      result += this.text.slice(start, match.index)
      if (match[0] === quote) {
        this.at = match.index + 1
        return result
      }
      this.at = match.index + 1
      result += this.escape()
      start = this.at
    }
  }

  /** What stands for the escape whose letter is at the cursor, which moves behind it. */
  private escape(): string {
    const letter = this.text[this.at] ?? ''
    this.at++
    if (letter === 'u' || letter === 'x') {
      const digits = this.text.slice(this.at, this.at + (letter === 'u' ? 4 : 2))
      if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length !== (letter === 'u' ? 4 : 2)) {
        throw this.fail('the escape needs hexadecimal digits')
      }
      this.at += digits.length
      return String.fromCharCode(Number.parseInt(digits, 16))
    }
    const short = shortEscapes[letter]
    if (short !== undefined) return short
    if (letter >= '0' && letter <= '7') return String.fromCharCode(Number(letter))
    if (letter === '"' || letter === "'" || letter === '\\' || letter === '/') return letter
    throw this.fail(`unknown escape \\${letter}`)
  }

  private numberText(): string | undefined {
    numberPattern.lastIndex = this.at
    const match = numberPattern.exec(this.text)
    if (match === null) return undefined
    this.at += match[0].length
    return match[0]
  }

  private numberOrWord(): unknown {
    const number = this.numberText()
    if (number !== undefined) {
      // fastjson may mark the Java type: 5L, 1.5F.
      if (/[LSBFD]/.test(this.text[this.at] ?? '')) this.at++
      return numberOf(number)
    }
    namePattern.lastIndex = this.at
    const word = namePattern.exec(this.text)?.[0]
    if (word === 'true' || word === 'false' || word === 'null' || word === 'NaN' || word === 'undefined') {
      this.at += word.length
      return word === 'true' ? true : word === 'false' ? false : null
    }
    throw this.unexpected()
  }
}

/** Exact: an integer that a number can't hold becomes a bigint. */
function numberOf(text: string): number | bigint {
  const value = Number(text)
  if (Number.isSafeInteger(value) || !/^[+-]?\d{1,40}$/.test(text)) return value
  return BigInt(text.startsWith('+') ? text.slice(1) : text)
}

function plainObject(pairs: readonly (readonly [unknown, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const [key, value] of pairs) {
    const name = key as string
    if (name === '__proto__') {
      Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
    } else {
      object[name] = value
    }
  }
  return object
}
