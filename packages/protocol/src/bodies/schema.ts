import { RocketMqError } from '@rocketmq-ts/runtime'
import { type JsonInput, OneLineArray } from '../json/writer.ts'
import { parseLenient } from '../lenient-json.ts'

/**
 * The shape of a part of a body. Reading follows fastjson: what is missing or null gets the shape's fallback, unknown names
 * are ignored, numbers may come as text and text as numbers.
 */
export interface Schema<T> {
  /** Throws {@link SchemaMismatch}. Never called with undefined or null. */
  read(value: unknown): T
  write(value: T): JsonInput
  /** What a missing or null value stands for. */
  fallback(): T
  /** Left out of the decoded object when absent. */
  readonly isOptional?: boolean
}

export type SchemaOf<S> = S extends Schema<infer T> ? T : never

/** A value that isn't of its shape; the path is completed on the way out. */
export class SchemaMismatch extends Error {
  path: string

  constructor(expected: string, value: unknown) {
    super(`expected ${expected}, found ${describe(value)}`)
    this.path = ''
  }

  toError(): RocketMqError {
    return new RocketMqError('BODY_INVALID', `Body${this.path === '' ? '' : ` at ${this.path}`}: ${this.message}.`)
  }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return `${typeof value} ${String(value).slice(0, 60)}`
}

/** Reads `value`, or the fallback; `step` says where it lies, for errors. */
export function readPart<T>(schema: Schema<T>, value: unknown, step: string): T {
  if (value === undefined || value === null) return schema.fallback()
  try {
    return schema.read(value)
  } catch (error) {
    if (error instanceof SchemaMismatch) error.path = step + error.path
    throw error
  }
}

function scalar<T extends string | number | bigint | boolean>(
  expected: string,
  fallback: T,
  convert: (value: unknown) => T | undefined,
): Schema<T> {
  return {
    read(value) {
      const result = convert(value)
      if (result === undefined) throw new SchemaMismatch(expected, value)
      return result
    },
    write: value => value,
    fallback: () => fallback,
  }
}

/** Text; a number or boolean is taken as its text. */
export function text(fallback = ''): Schema<string> {
  return scalar('text', fallback, value => {
    if (typeof value === 'string') return value
    return typeof value === 'object' ? undefined : String(value)
  })
}

/** A boolean; also as text, or as 0 and 1. */
export function bool(fallback = false): Schema<boolean> {
  return scalar('a boolean', fallback, value => {
    if (typeof value === 'boolean') return value
    if (value === 1 || value === '1' || value === 'true' || value === 'TRUE') return true
    if (value === 0 || value === '0' || value === 'false' || value === 'FALSE' || value === '') return false
    return undefined
  })
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'string' && /^[+-]?\d{1,20}$/.test(value)) return Number(value)
  return value === '' ? 0 : undefined
}

/** An int32. */
export function int(fallback = 0): Schema<number> {
  return scalar('a 32-bit integer', fallback, value => {
    const number = numberOf(value)
    return number !== undefined && (number | 0) === number ? number : undefined
  })
}

/** An int64 as number: beyond ±(2^53 - 1) the nearest one, which for Long.MAX_VALUE and Long.MIN_VALUE writes back as it was. */
export function long(fallback = 0): Schema<number> {
  return scalar('a 64-bit integer', fallback, value => {
    const number = numberOf(value)
    return number !== undefined && Number.isInteger(number) && Math.abs(number) <= 2 ** 63 ? number : undefined
  })
}

/** An int64 of which every bit counts. */
export function bigLong(): Schema<bigint> {
  return scalar('a 64-bit integer', 0n, value => {
    const isInteger = typeof value === 'bigint' || Number.isInteger(value)
    if (!isInteger && !(typeof value === 'string' && /^-?\d{1,19}$/.test(value))) return undefined
    const number = BigInt(value as bigint | number | string)
    return BigInt.asIntN(64, number) === number ? number : undefined
  })
}

/** One of `names`, in any letter case. */
export function enumeration<const T extends string>(names: readonly T[], fallback: NoInfer<T>): Schema<T> {
  return scalar<T>(names.join('|'), fallback, value => {
    if (typeof value !== 'string') return undefined
    const upper = value.toUpperCase()
    return names.find(name => name === value) ?? names.find(name => name.toUpperCase() === upper)
  })
}

/** Anything, as {@link parseLenient} reads it. */
export function anything(): Schema<unknown> {
  return { read: value => value, write: value => value, fallback: () => undefined }
}

/** A part that may be absent. */
export function optional<T>(schema: Schema<T>): Schema<T | undefined> {
  return {
    read: value => schema.read(value),
    write: value => (value === undefined ? undefined : schema.write(value)),
    fallback: () => undefined,
    isOptional: true,
  }
}

/** An array, of a list or a set. */
export function list<T>(item: Schema<T>): Schema<readonly T[]> {
  return {
    read(value) {
      if (!Array.isArray(value)) throw new SchemaMismatch('an array', value)
      const items: unknown[] = value
      return items.map((element, index) => readPart(item, element, `[${index}]`))
    },
    write: value => value.map(element => item.write(element)),
    fallback: () => [],
  }
}

/** An array of what is a set or array in Java, which the text form for files keeps on one line. */
export function oneLineList<T>(item: Schema<T>): Schema<readonly T[]> {
  return { ...list(item), write: value => new OneLineArray(value.map(element => item.write(element))) }
}

/** A body part that is text holding an object of this shape, or the object itself. */
export function asObject(value: unknown): unknown {
  return typeof value === 'string' ? parseLenient(value) : value
}
