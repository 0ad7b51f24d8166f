import { RocketMqError } from '@rocketmq-ts/runtime'
import { JsonMap, parseLenient } from './lenient-json.ts'

/** The string-to-string map of a command: flattened header fields and whatever hooks add. */
export type ExtFields = Record<string, string>

/** The ext section of a JSON header, braces included. Throws `HEADER_INVALID`. */
export function decodeJsonExt(source: Buffer, start: number, end: number): ExtFields | undefined {
  return extFieldsOf(parseJson(source.toString('utf8', start, end)))
}

/** Parses header text: the engine's own reader, and ours for what that one refuses. Throws `HEADER_INVALID`. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return parseDialect(text)
  }
}

function parseDialect(text: string): unknown {
  try {
    return parseLenient(text)
  } catch (cause) {
    throw new RocketMqError('HEADER_INVALID', 'the header of a frame is not JSON', { cause })
  }
}

/** Checks and converts a parsed `extFields` value. Throws `HEADER_INVALID`. */
export function extFieldsOf(value: unknown): ExtFields | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof JsonMap) {
    throw new RocketMqError('HEADER_INVALID', '"extFields" in the header of a frame is no object')
  }
  const fields = value as Record<string, unknown>
  for (const name in fields) {
    if (typeof fields[name] !== 'string') return convertedExtFields(fields)
  }
  return fields as ExtFields
}

/** A copy with every value as text and nulls left out; only peers that bend the rules come here. */
function convertedExtFields(fields: Record<string, unknown>): ExtFields {
  const result: ExtFields = {}
  for (const name of Object.keys(fields)) {
    const item = fields[name]
    if (item === null || item === undefined) continue
    Object.defineProperty(result, name, { value: textOf(item), enumerable: true, writable: true, configurable: true })
  }
  return result
}

/** A header value that ought to be text, as text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return String(value)
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new RocketMqError('HEADER_INVALID', 'a value in the header of a frame is no text', { cause })
  }
}

/** The ext section of a binary header: per field `[name:2+n][value:4+n]`. Throws `HEADER_INVALID`. */
export function decodeBinaryExt(source: Buffer, start: number, end: number): ExtFields {
  const fields: ExtFields = {}
  let at = start
  while (at < end) {
    if (end - at < 2) throw new RocketMqError('HEADER_INVALID', 'the ext section of a binary header is cut short')
    const nameStart = at + 2
    const nameEnd = checkedEnd(nameStart, source.readUInt16BE(at), end - 4)
    const valueStart = nameEnd + 4
    const valueEnd = checkedEnd(valueStart, source.readInt32BE(nameEnd), end)
    at = valueEnd
    if (nameEnd === nameStart || valueEnd === valueStart) continue
    const name = source.toString('utf8', nameStart, nameEnd)
    // Assigning to this one name would set the prototype instead of a field.
    if (name === '__proto__') continue
    fields[name] = source.toString('utf8', valueStart, valueEnd)
  }
  return fields
}

/** The end of a text of `length` bytes from `start`. Throws `HEADER_INVALID` when it lies beyond `limit`. */
export function checkedEnd(start: number, length: number, limit: number): number {
  if (length < 0 || length > limit - start) {
    throw new RocketMqError('HEADER_INVALID', `a text of ${length} bytes doesn't fit its binary header`)
  }
  return start + length
}
