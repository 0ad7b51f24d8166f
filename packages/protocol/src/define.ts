import { RocketMqError } from '@rocketmq-ts/runtime'
import type { ExtFields } from './command.ts'

/**
 * How one header field looks on the wire, where everything is text. `decode` throws `HEADER_INVALID` without knowing the
 * field's name; {@link decodeHeader} adds it.
 */
interface Codec<T> {
  readonly type: string
  encode(value: T): string
  /** Undefined when the text isn't of this type. */
  decode(text: string): T | undefined
}

/**
 * A header field. `Decoded` is what a receiver gets, `Given` what a sender may pass; they differ for fields with a default.
 * Only the two type parameters tell a mandatory field from an optional one at compile time.
 */
export interface Field<Decoded, Given> {
  readonly codec: Codec<unknown>
  readonly mandatory: boolean
  /** Stands in for an absent field. */
  readonly fallback: unknown
  /** Never set; carries the types. */
  readonly types?: { decoded: Decoded; given: Given }
}

type AnyField = Field<unknown, unknown>
export type Fields = Readonly<Record<string, AnyField>>

const stringCodec: Codec<string> = { type: 'text', encode: value => value, decode: text => text }
const booleanCodec: Codec<boolean> = {
  type: 'boolean',
  encode: value => (value ? 'true' : 'false'),
  decode: text => text === 'true' || text.toLowerCase() === 'true',
}
const int32Codec: Codec<number> = { type: 'int32', encode: int32Text, decode: int32OrUndefined }
const int64Codec: Codec<number> = { type: 'int64', encode: int64Text, decode: int64OrUndefined }
const clampedCodec: Codec<number> = { type: 'int64', encode: int64Text, decode: clampedOrUndefined }

const decimal = /^[+-]?\d{1,19}$/

function int32OrUndefined(text: string): number | undefined {
  const value = int64OrUndefined(text)
  return value !== undefined && (value | 0) === value ? value : undefined
}

function int64OrUndefined(text: string): number | undefined {
  if (!decimal.test(text)) return undefined
  // Adding 0 makes "-0" a plain 0.
  const value = Number(text) + 0
  return Number.isSafeInteger(value) ? value : undefined
}

function clampedOrUndefined(text: string): number | undefined {
  if (!decimal.test(text)) return undefined
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(text) + 0))
}

function int32Text(value: number): string {
  if ((value | 0) !== value) throw new RocketMqError('INVALID_ARGUMENT', `${value} is no 32-bit integer`)
  return String(value)
}

function int64Text(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RocketMqError('INVALID_ARGUMENT', `${value} is no safe integer`)
  return String(value)
}

function enumerationCodec<const T extends string>(names: readonly T[]): Codec<T> {
  return {
    type: names.join('|'),
    encode: value => value,
    decode: text => names.find(name => name === text || name.toLowerCase() === text.toLowerCase()),
  }
}

/** Fields that a peer must send: absent or malformed means `HEADER_INVALID`. */
export const required = {
  string: () => mandatory(stringCodec),
  boolean: () => mandatory(booleanCodec),
  int32: () => mandatory(int32Codec),
  /** 64 bits on the wire, a safe integer here: a value beyond 2^53 - 1 is malformed. */
  int64: () => mandatory(int64Codec),
  /** 64 bits on the wire; values beyond ±(2^53 - 1), which mean "no bound", read as ±(2^53 - 1). */
  int64Clamped: () => mandatory(clampedCodec),
  /** A name out of `names`, read in any letter case. */
  enumeration: <const T extends string>(names: readonly T[]) => mandatory(enumerationCodec(names)),
}

/** Fields that may be absent: then undefined, or the fallback when one is given. An empty number is absent, too. */
export const optional = {
  string: whenAbsent(stringCodec),
  boolean: whenAbsent(booleanCodec),
  int32: whenAbsent(int32Codec),
  /** As {@link required.int64}. */
  int64: whenAbsent(int64Codec),
  /** As {@link required.int64Clamped}. */
  int64Clamped: whenAbsent(clampedCodec),
  enumeration: <const T extends string>(names: readonly T[]) => whenAbsent<T>(enumerationCodec(names))(),
}

function mandatory<T>(codec: Codec<T>): Field<T, T> {
  return { codec: codec as Codec<unknown>, mandatory: true, fallback: undefined }
}

interface OptionalField<T> {
  (): Field<T | undefined, T | undefined>
  (fallback: T): Field<T, T | undefined>
}

function whenAbsent<T>(codec: Codec<T>): OptionalField<T> {
  return ((fallback?: T) => ({ codec: codec as Codec<unknown>, mandatory: false, fallback })) as OptionalField<T>
}

/** Fields that Java's RPC headers inherit. `bname`: the broker meant; `oway`: oneway; `ns`, `nsd`: namespace. */
export const rpcFields = {
  bname: optional.string(),
  ns: optional.string(),
  nsd: optional.boolean(),
  oway: optional.boolean(),
}

/** {@link rpcFields} and `lo`: false makes a broker act on the physical queue even of a static topic. */
export const topicFields = { lo: optional.boolean(), ...rpcFields }

/** A header: the name of its Java class and its fields in the order of the wire. */
export interface HeaderDescriptor<F extends Fields = Fields> {
  readonly javaName: string
  readonly fields: F
  /** The same, laid out for the codec's loop. */
  readonly compiled: readonly CompiledField[]
}

interface CompiledField {
  readonly name: string
  readonly field: AnyField
}

type DecodedOf<F> = F extends Field<infer Decoded, unknown> ? Decoded : never
type GivenOf<F> = F extends Field<unknown, infer Given> ? Given : never
type OptionalKeys<F extends Fields> = { [K in keyof F]: undefined extends GivenOf<F[K]> ? K : never }[keyof F]

/** What decoding yields: every field is set, absent ones to undefined. */
export type HeaderOf<D> = D extends HeaderDescriptor<infer F> ? { [K in keyof F]: DecodedOf<F[K]> } : never

/** What encoding takes: optional fields and those with a default may be left out. */
export type HeaderInput<D> =
  D extends HeaderDescriptor<infer F>
    ? { [K in Exclude<keyof F, OptionalKeys<F>>]: GivenOf<F[K]> } & { [K in OptionalKeys<F>]?: GivenOf<F[K]> }
    : never

/** Declares a header. */
export function defineHeader<const F extends Fields>(javaName: string, fields: F): HeaderDescriptor<F> {
  return { javaName, fields, compiled: Object.keys(fields).map(name => ({ name, field: fields[name]! })) }
}

/** The header of requests and responses that have none. */
export const noHeader = defineHeader('none', {})

/**
 * Flattens a header to text. Absent optional fields are left out. Throws `INVALID_ARGUMENT` naming the field when a
 * mandatory one is absent or a number is out of range.
 */
export function encodeHeader<D extends HeaderDescriptor>(descriptor: D, value: HeaderInput<D>): ExtFields {
  const result: ExtFields = {}
  for (const { name, field } of descriptor.compiled) {
    const item = (value as Record<string, unknown>)[name]
    if (item !== undefined && item !== null) {
      result[name] = encodeField(descriptor, name, field, item)
    } else if (field.mandatory) {
      throw new RocketMqError('INVALID_ARGUMENT', `${descriptor.javaName}.${name} is missing`)
    }
  }
  return result
}

function encodeField(descriptor: HeaderDescriptor, name: string, field: AnyField, item: unknown): string {
  try {
    return field.codec.encode(item)
  } catch (cause) {
    throw new RocketMqError('INVALID_ARGUMENT', `${descriptor.javaName}.${name}: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/**
 * Reads a header from a command's map (which may be absent altogether); unknown fields are left alone. Throws
 * `HEADER_INVALID` naming header and field when a mandatory field is absent, or any field is not of its type.
 * Java logs such a field and goes on without it, to fail somewhere inside the handler.
 */
export function decodeHeader<D extends HeaderDescriptor>(descriptor: D, extFields: ExtFields | undefined): HeaderOf<D> {
  const result: Record<string, unknown> = {}
  for (const { name, field } of descriptor.compiled) {
    result[name] = decodeField(descriptor, name, field, extFields === undefined ? undefined : extFields[name])
  }
  return result as HeaderOf<D>
}

function decodeField(descriptor: HeaderDescriptor, name: string, field: AnyField, text: string | undefined): unknown {
  if (text === undefined || (text === '' && !field.mandatory && field.codec !== stringCodec)) {
    if (field.mandatory) throw invalidField(descriptor.javaName, name, 'is missing')
    return field.fallback
  }
  const value = field.codec.decode(text)
  if (value === undefined) throw invalidField(descriptor.javaName, name, `is no ${field.codec.type}`)
  return value
}

/** The error of a header field, in one wording for the generic and the hand-written codecs. */
export function invalidField(javaName: string, name: string, what: string): RocketMqError {
  return new RocketMqError('HEADER_INVALID', `${javaName}.${name} ${what}`, {
    details: { header: javaName, field: name },
  })
}

/** Reads and writes the body of a request or response. */
export interface BodyCodec<T> {
  encode(value: T): Buffer
  /** Throws `BODY_INVALID`. */
  decode(bytes: Buffer): T
}

/** One request code: everything that client, server and tools need to agree on. */
export interface Api<
  Request extends HeaderDescriptor = HeaderDescriptor,
  Response extends HeaderDescriptor = HeaderDescriptor,
> {
  /** Java's name of the code. */
  readonly name: string
  readonly code: number
  readonly request: Request
  readonly response: Response
}

/** Declares a request code. Leave out a header that doesn't exist. */
export function defineApi<
  const Request extends HeaderDescriptor = typeof noHeader,
  const Response extends HeaderDescriptor = typeof noHeader,
>(declaration: { name: string; code: number; request?: Request; response?: Response }): Api<Request, Response> {
  return {
    name: declaration.name,
    code: declaration.code,
    request: declaration.request ?? (noHeader as unknown as Request),
    response: declaration.response ?? (noHeader as unknown as Response),
  }
}

/** The decoded request header of an api. */
export type RequestOf<A> = A extends Api<infer Request, HeaderDescriptor> ? HeaderOf<Request> : never
/** What a caller passes as request header of an api. */
export type RequestInput<A> = A extends Api<infer Request, HeaderDescriptor> ? HeaderInput<Request> : never
/** The decoded response header of an api. */
export type ResponseOf<A> = A extends Api<HeaderDescriptor, infer Response> ? HeaderOf<Response> : never
/** What a handler passes as response header of an api. */
export type ResponseInput<A> = A extends Api<HeaderDescriptor, infer Response> ? HeaderInput<Response> : never
