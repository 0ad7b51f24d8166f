import { RocketMqError } from '@rocketmq-ts/runtime'
import { RemotingCommand, serializeTypes } from './command.ts'
import { type ExtFields, extFieldsOf, parseJson, textOf } from './ext-fields.ts'
import { scanJsonHead } from './hot/json-head.ts'
import { quoteJson } from './json/quote.ts'
import { languageOfHeader } from './language.ts'
import { JsonMap } from './lenient-json.ts'

/** The JSON header of a command, keys in Java's (alphabetical) order, absent parts left out. */
export function encodeJsonHeader(command: RemotingCommand): string {
  let text = `{"code":${command.code}`
  if (command.extFields !== undefined) text += `,"extFields":${encodeExtFields(command.extFields)}`
  text += `,"flag":${command.flag},"language":${quoteJson(command.language)},"opaque":${command.opaque}`
  if (command.remark !== undefined) text += `,"remark":${quoteJson(command.remark)}`
  return `${text},"serializeTypeCurrentRPC":"JSON","version":${command.version}}`
}

function encodeExtFields(extFields: ExtFields): string {
  let text = '{'
  for (const name of Object.keys(extFields)) {
    if (text.length > 1) text += ','
    text += `${quoteJson(name)}:${quoteJson(extFields[name]!)}`
  }
  return `${text}}`
}

/**
 * Reads a JSON header as leniently as Java does: any key order, unknown keys ignored, unquoted names and single quotes,
 * numbers and booleans as ext values, nulls as absent. Throws `HEADER_INVALID`.
 * The exact form that Java writes takes a short cut, which leaves the ext fields undecoded.
 */
export function decodeJsonHeader(source: Buffer, start: number, end: number): RemotingCommand {
  return scanJsonHead(source, start, end) ?? decodeAnyJsonHeader(source, start, end)
}

/** {@link decodeJsonHeader} without the short cut. */
export function decodeAnyJsonHeader(source: Buffer, start: number, end: number): RemotingCommand {
  const value = parseJson(source.toString('utf8', start, end))
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof JsonMap) {
    throw new RocketMqError('HEADER_INVALID', 'the header of a frame is not a JSON object')
  }
  return commandOf(value as Record<string, unknown>)
}

function commandOf(header: Record<string, unknown>): RemotingCommand {
  return new RemotingCommand(
    int32Of(header.code, 'code'),
    languageOfHeader(header.language),
    int32Of(header.version, 'version'),
    int32Of(header.opaque, 'opaque'),
    int32Of(header.flag, 'flag'),
    header.remark === undefined || header.remark === null ? undefined : textOf(header.remark),
    extFieldsOf(header.extFields),
    undefined,
    serializeTypes.json,
  )
}

function int32Of(value: unknown, name: string): number {
  if (value === undefined || value === null) return 0
  const number = typeof value === 'string' ? Number.parseInt(value, 10) : value
  if (typeof number !== 'number' || (number | 0) !== number) {
    throw new RocketMqError('HEADER_INVALID', `"${name}" in the header of a frame is no 32-bit integer`)
  }
  return number
}
