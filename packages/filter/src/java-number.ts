import type { NumberKind } from './expression.ts'

const INT_MAX = 2147483647
const LONG_MAX = 9223372036854775807n
/** Digits of which every number is a safe integer. */
const SAFE_DIGITS = 15

/**
 * The number that Java reads from `text` where it expects one of that class; undefined where it throws.
 * Source: ComparisonExpression#__compare, 5.3.x
 */
export function parseJavaNumber(text: string, kind: NumberKind): number | bigint | undefined {
  if (kind === 'double') return parseJavaDouble(text)
  const value = parseJavaLong(text)
  if (kind === 'long' || value === undefined) return value
  return value >= -INT_MAX - 1 && value <= INT_MAX ? value : undefined
}

/** As `Long.valueOf`: an optional sign and decimal digits of any script. A bigint only where the number isn't safe. */
function parseJavaLong(text: string): number | bigint | undefined {
  const sign = text.charCodeAt(0)
  const isNegative = sign === 0x2d
  const start = isNegative || sign === 0x2b ? 1 : 0
  if (text.length === start) return undefined
  let value = 0
  for (let i = start; i < text.length; i++) {
    const digit = digitOf(text.charCodeAt(i))
    if (digit < 0) return undefined
    value = value * 10 + digit
  }
  if (text.length - start <= SAFE_DIGITS || value <= Number.MAX_SAFE_INTEGER) return isNegative ? 0 - value : value
  if (value > 2 ** 64) return undefined
  return exactLong(text.slice(start), isNegative)
}

function exactLong(digits: string, isNegative: boolean): bigint | undefined {
  let value = 0n
  for (let i = 0; i < digits.length; i++) value = value * 10n + BigInt(digitOf(digits.charCodeAt(i)))
  if (isNegative) return value <= LONG_MAX + 1n ? -value : undefined
  return value <= LONG_MAX ? value : undefined
}

const anyDigit = /^\p{Nd}$/u

/** The value of a decimal digit (one UTF-16 unit, as Java looks at it), or -1. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  if (code < 0x660 || !anyDigit.test(String.fromCharCode(code))) return -1
  // Each script's ten digits lie side by side; none has another's before its zero.
  let zero = code
  while (anyDigit.test(String.fromCharCode(zero - 1))) zero--
  return (code - zero) % 10
}

const decimalForm = /^[+-]?(?:NaN|Infinity|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)$/
const hexadecimalForm = /^([+-]?)0[xX](?:([0-9a-fA-F]+)\.?|([0-9a-fA-F]*)\.([0-9a-fA-F]+))[pP]([+-]?[0-9]+)[fFdD]?$/

/** As `Double.valueOf`: signs, exponents, a trailing f or d, `NaN`, `Infinity`, hexadecimal floats, blanks around. */
export function parseJavaDouble(text: string): number | undefined {
  const trimmed = trimControls(text)
  if (!decimalForm.test(trimmed)) return parseHexadecimal(trimmed)
  if (trimmed.endsWith('y') || trimmed.endsWith('N')) return Number(trimmed.replace(/^[+-](?=N)/, ''))
  return Number(/[fFdD]$/.test(trimmed) ? trimmed.slice(0, -1) : trimmed)
}

/** As `String.trim`: everything up to U+0020 goes. */
function trimControls(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && text.charCodeAt(start) <= 0x20) start++
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

/** Digits of a hexadecimal float that are looked at; further ones are below any double's precision. */
const HEX_DIGITS_MAX = 512

function parseHexadecimal(text: string): number | undefined {
  const parts = hexadecimalForm.exec(text)
  if (parts === null) return undefined
  const whole = (parts[2] ?? parts[3] ?? '').replace(/^0+/, '')
  const digits = (whole + (parts[4] ?? '')).slice(0, HEX_DIGITS_MAX)
  const exponent = Number(parts[5]) + 4 * (whole.length - digits.length)
  const mantissa = Number(BigInt(`0x0${digits}`))
  const value = mantissa === 0 ? 0 : scale(mantissa, exponent)
  return parts[1] === '-' ? -value : value
}

/** `value` times 2^exponent, in steps that neither overflow nor vanish before the result does. */
function scale(value: number, exponent: number): number {
  let left = Math.max(-5000, Math.min(5000, exponent))
  let result = value
  for (; left > 1000; left -= 1000) result *= 2 ** 1000
  for (; left < -1000; left += 1000) result *= 2 ** -1000
  return result * 2 ** left
}

/** As `Double.compareTo`: -0 lies before 0, NaN behind everything and equal to itself. */
export function compareDoubles(left: number, right: number): number {
  if (left < right) return -1
  if (left > right) return 1
  if (left === right && left !== 0) return 0
  if (Object.is(left, right)) return 0
  if (Number.isNaN(left)) return 1
  if (Number.isNaN(right)) return -1
  return Object.is(left, -0) ? -1 : 1
}
