import { JavaDouble, JsonMap } from '../lenient-json.ts'
import { asObject, readPart, type Schema, SchemaMismatch } from './schema.ts'

function objectOf(value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SchemaMismatch('an object', value)
  return value
}

/** Names and values of an object of either kind. */
function pairsOf(value: unknown): readonly (readonly [unknown, unknown])[] {
  const object = objectOf(value)
  return object instanceof JsonMap ? object.$pairs : Object.entries(object)
}

function mapSchema<K, V>(
  readKey: (key: unknown) => K,
  writeKey: (key: K) => unknown,
  item: Schema<V>,
): Schema<ReadonlyMap<K, V>> {
  return {
    read(value) {
      const map = new Map<K, V>()
      for (const [key, element] of pairsOf(value)) {
        map.set(readKey(key), readPart(item, element, `[${typeof key === 'object' ? 'object' : String(key)}]`))
      }
      return map
    },
    write(value) {
      const map = new Map<unknown, unknown>()
      for (const [key, element] of value) map.set(writeKey(key), item.write(element))
      return map
    },
    fallback: () => new Map(),
  }
}

/** A map with text as names. */
export function textMap<V>(item: Schema<V>): Schema<ReadonlyMap<string, V>> {
  return mapSchema(
    key => {
      if (typeof key !== 'string') throw new SchemaMismatch('text as name', key)
      return key
    },
    key => key,
    item,
  )
}

/** A map with integers as names, written without quotes. */
export function intMap<V>(item: Schema<V>): Schema<ReadonlyMap<number, V>> {
  return mapSchema(
    key => {
      if (typeof key !== 'string' || !/^-?\d{1,16}$/.test(key)) throw new SchemaMismatch('an integer as name', key)
      return Number(key)
    },
    key => key,
    item,
  )
}

/** A map with objects as names; read also where the object is written as text. */
export function objectMap<K extends object, V>(key: Schema<K>, item: Schema<V>): Schema<ReadonlyMap<K, V>> {
  return mapSchema(
    name => key.read(asObject(name)),
    name => key.write(name),
    item,
  )
}

/** A small map of text to text, as a plain object. */
export function textRecord(): Schema<Readonly<Record<string, string>>> {
  return {
    read(value) {
      const record: Record<string, string> = {}
      for (const [key, element] of Object.entries(objectOf(value))) {
        if (element === null || element === undefined) continue
        if (typeof element === 'object') throw new SchemaMismatch('text', element)
        Object.defineProperty(record, key, {
          value: String(element),
          writable: true,
          enumerable: true,
          configurable: true,
        })
      }
      return record
    },
    write: value => new Map(Object.entries(value)),
    fallback: () => ({}),
  }
}

/** A double, written with a fraction; NaN comes as null and reads as 0. */
export function double(): Schema<number> {
  return {
    read(value) {
      const number = typeof value === 'string' ? Number(value) : typeof value === 'bigint' ? Number(value) : value
      if (typeof number !== 'number' || Number.isNaN(number)) throw new SchemaMismatch('a number', value)
      return number
    },
    write: value => new JavaDouble(value),
    fallback: () => 0,
  }
}

type Shape = Readonly<Record<string, Schema<never>>>
type ValueOf<S> = S extends Schema<infer T> ? T : never
type OptionalNames<F> = { [K in keyof F]: undefined extends ValueOf<F[K]> ? K : never }[keyof F]

/** The object that a shape describes. */
export type ObjectOf<F> = { readonly [K in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[K]> } & {
  readonly [K in OptionalNames<F>]?: ValueOf<F[K]>
}

/** Java beans write a property's first letter in lower case, some peers in upper case. */
function otherCase(name: string): string {
  const first = name[0]!
  const lower = first.toLowerCase()
  return (first === lower ? first.toUpperCase() : lower) + name.slice(1)
}

/** An object with these names. */
export function object<const F extends Readonly<Record<string, unknown>>>(shape: F): Schema<ObjectOf<F>> {
  const parts = Object.entries(shape as unknown as Shape).map(([name, schema]) => ({
    name,
    otherName: otherCase(name),
    step: `.${name}`,
    schema: schema as unknown as Schema<unknown>,
  }))
  const read = (value: unknown): ObjectOf<F> => {
    const source = objectOf(value) as Readonly<Record<string, unknown>>
    const result: Record<string, unknown> = {}
    for (const { name, otherName, step, schema } of parts) {
      const element = Object.hasOwn(source, name) ? source[name] : source[otherName]
      const part = readPart(schema, element, step)
      if (part !== undefined || schema.isOptional !== true) result[name] = part
    }
    return result as ObjectOf<F>
  }
  return {
    read,
    write(value) {
      const result: Record<string, unknown> = {}
      for (const { name, schema } of parts) {
        const element = (value as Readonly<Record<string, unknown>>)[name]
        if (element !== undefined && element !== null) result[name] = schema.write(element)
      }
      return result
    },
    fallback: () => read({}),
  }
}
