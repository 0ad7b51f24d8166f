import { JavaDouble, javaDoubleText } from './java-double.ts'
import { JsonMap } from './json-map.ts'
import { quoteJson } from './quote.ts'

/**
 * What the writers take: text, booleans, numbers (integers; see {@link JavaDouble}), bigint, null, bytes (as base64),
 * arrays, sets and {@link OneLineArray}, plain objects (written with sorted keys, undefined and null left out), and maps, whose keys may be
 * numbers or objects and whose order is kept. Everything else is a programmer's error.
 */
export type JsonInput = unknown

/** An array that the pretty form keeps on one line, as fastjson does with sets and with Java arrays. */
export class OneLineArray {
  readonly items: readonly unknown[]

  constructor(items: readonly unknown[]) {
    this.items = items
  }
}

const INT64_MAX_TEXT = '9223372036854775807'
const INT64_MIN_TEXT = '-9223372036854775808'

/** A number as Java writes a long, beyond int64 the nearest int64; fractions as a double. */
function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? '0' : String(value)
  if (!Number.isInteger(value)) return javaDoubleText(value)
  if (value >= 2 ** 63) return INT64_MAX_TEXT
  if (value <= -(2 ** 63)) return INT64_MIN_TEXT
  return BigInt(value).toString()
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

/** Keys and values of an object or map, in the order of writing; undefined for anything else. */
function pairsOf(value: object): [unknown, unknown][] {
  if (value instanceof Map) return [...value].filter(([, item]) => !isAbsent(item))
  if (value instanceof JsonMap) return value.$pairs.map(([key, item]) => [key, item])
  return Object.keys(value)
    .sort()
    .map((key): [unknown, unknown] => [key, (value as Record<string, unknown>)[key]])
    .filter(([, item]) => !isAbsent(item))
}

/** Text of a scalar in either form; undefined for arrays, objects and maps. */
function scalarText(value: unknown, quote: (text: string) => string): string | undefined {
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'number':
      return numberText(value)
    case 'boolean':
    case 'bigint':
      return String(value)
    default:
      if (value === null || value === undefined) return 'null'
      if (value instanceof JavaDouble) return javaDoubleText(value.value)
      if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`
      return undefined
  }
}

function itemsOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (value instanceof OneLineArray) return value.items
  return value instanceof Set ? [...value] : undefined
}

/** fastjson's own form: no white space, numeric names without quotes, objects as names. */
export function stringifyFastjson(value: JsonInput): string {
  const scalar = scalarText(value, quoteJson)
  if (scalar !== undefined) return scalar
  const items = itemsOf(value)
  if (items !== undefined) return `[${items.map(stringifyFastjson).join(',')}]`
  let text = '{'
  for (const [key, item] of pairsOf(value as object)) {
    if (text.length > 1) text += ','
    text += `${stringifyFastjson(key)}:${stringifyFastjson(item)}`
  }
  return `${text}}`
}

/**
 * fastjson's pretty form, in which a broker keeps its tables: tabs, one name or item of a list a line; sets, {@link OneLineArray}
 * and maps with numeric names stay on one line up to their closing bracket.
 */
export function stringifyFastjsonPretty(value: JsonInput): string {
  return prettyText(value, '\n')
}

/** `lineBreak` is the line break with the indentation of the value's own line. */
function prettyText(value: unknown, lineBreak: string): string {
  const scalar = scalarText(value, quoteJson)
  if (scalar !== undefined) return scalar
  const inner = `${lineBreak}\t`
  const items = itemsOf(value)
  if (items !== undefined) {
    if (items.length === 0) return '[]'
    if (!Array.isArray(value)) return `[${items.map(item => prettyText(item, lineBreak)).join(',')}]`
    return `[${items.map(item => inner + prettyText(item, inner)).join(',')}${lineBreak}]`
  }
  const pairs = pairsOf(value as object)
  if (pairs.length === 0) return '{}'
  const parts = pairs.map(([key, item]) => {
    const name = stringifyFastjson(key)
    return `${typeof key === 'string' ? inner : ''}${name}:${prettyText(item, inner)}`
  })
  return `{${parts.join(',')}${lineBreak}}`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly the characters that this form escapes
const strictEscaped = /["\\/\u0000-\u001f\u007f-\uffff]/g
const strictShort: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
}

function quoteStrict(text: string): string {
  const escapedText = text.replace(strictEscaped, character => {
    const code = character.charCodeAt(0)
    return strictShort[character] ?? `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`
  })
  return `"${escapedText}"`
}

/**
 * The strict form of routes: valid JSON with all names sorted and quoted, everything but ASCII escaped, and integers that
 * JavaScript can't hold as text. Object names are written as text that holds the object.
 */
export function stringifyStrictRoute(value: JsonInput): string {
  if (typeof value === 'bigint' && !Number.isSafeInteger(Number(value))) return `"${value}"`
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return `"${numberText(value)}"`
  }
  const scalar = scalarText(value, quoteStrict)
  if (scalar !== undefined) return scalar
  const items = itemsOf(value)
  if (items !== undefined) return `[${items.map(stringifyStrictRoute).join(',')}]`
  const pairs = pairsOf(value as object).sort((a, b) => compareNames(a[0], b[0]))
  const parts = pairs.map(([key, item]) => `${quoteStrict(strictName(key))}:${stringifyStrictRoute(item)}`)
  return `{${parts.join(',')}}`
}

function strictName(key: unknown): string {
  return typeof key === 'object' ? stringifyStrictRoute(key) : String(key)
}

/** Numbers by value, everything else by its text, as Java's sorted maps do. */
function compareNames(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [left, right] = [strictName(a), strictName(b)]
  return left < right ? -1 : left > right ? 1 : 0
}
