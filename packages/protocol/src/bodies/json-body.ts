import type { BodyCodec } from '../define.ts'
import { parseLenient, stringifyFastjson, stringifyFastjsonPretty } from '../lenient-json.ts'
import { type Schema, SchemaMismatch } from './schema.ts'

/** A body written as JSON, of which there is also the text form that a broker keeps in files. */
export interface JsonBody<T> extends BodyCodec<T> {
  /** The shape, for use inside other bodies. */
  readonly schema: Schema<T>
  /** fastjson's compact text. */
  stringify(value: T): string
  /** fastjson's pretty text, for files. */
  stringifyPretty(value: T): string
  /** Reads either text. Throws BODY_INVALID naming the place. */
  parse(text: string | Buffer): T
}

/** Declares a JSON body by its shape. */
export function jsonBody<T>(schema: Schema<T>): JsonBody<T> {
  const parse = (text: string | Buffer): T => {
    const value = parseLenient(text)
    try {
      if (value === undefined || value === null) throw new SchemaMismatch('a body', null)
      return schema.read(value)
    } catch (error) {
      throw error instanceof SchemaMismatch ? error.toError() : error
    }
  }
  return {
    schema,
    parse,
    decode: parse,
    stringify: value => stringifyFastjson(schema.write(value)),
    stringifyPretty: value => stringifyFastjsonPretty(schema.write(value)),
    encode: value => Buffer.from(stringifyFastjson(schema.write(value)), 'utf8'),
  }
}

/** The value type of a body. */
export type BodyOf<B> = B extends BodyCodec<infer T> ? T : never
