import { RocketMqError } from '@rocketmq-ts/runtime'
import { FastjsonParser, JSON_DEPTH_LIMIT } from './json/parser.ts'

export { JavaDouble, javaDoubleText } from './json/java-double.ts'
export { JsonMap } from './json/json-map.ts'
export { JSON_DEPTH_LIMIT } from './json/parser.ts'
export {
  type JsonInput,
  OneLineArray,
  stringifyFastjson,
  stringifyFastjsonPretty,
  stringifyStrictRoute,
} from './json/writer.ts'

/** Longest text that {@link parseLenient} takes by default: a whole frame of the longest kind, and config files. */
export const JSON_LIMIT_BYTES = 64 * 1024 * 1024

/** Integers of this many digits may be beyond what a number holds. */
const mayHoldLong = /\d{16}/

/**
 * Reads JSON in the dialect of fastjson, which RocketMQ's Java side writes and reads: names may be unquoted, numbers or
 * objects, integers may have 64 bits, `{"$ref":…}` stands for another part of the text.
 *
 * Objects become plain objects (numeric names as text), or {@link JsonMap} when a name is an object. Integers beyond
 * ±(2^53 - 1) become bigint. A name that occurs twice keeps its last value.
 *
 * Throws BODY_INVALID with the place, also for more than `limitBytes` bytes and more than {@link JSON_DEPTH_LIMIT} levels.
 */
export function parseLenient(source: string | Buffer, limitBytes: number = JSON_LIMIT_BYTES): unknown {
  if (source.length > limitBytes) {
    throw new RocketMqError('BODY_INVALID', `JSON of ${source.length} bytes; at most ${limitBytes} are read.`)
  }
  const text = typeof source === 'string' ? source : source.toString('utf8')
  if (isPlainJson(text)) {
    try {
      return JSON.parse(text)
    } catch {
      // The dialect's parser reads it, or says where it is wrong.
    }
  }
  return new FastjsonParser(text).parse()
}

/** True when the built-in parser, if it accepts the text, gives the same result. */
function isPlainJson(text: string): boolean {
  if (mayHoldLong.test(text) || text.includes('$ref')) return false
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x7b || code === 0x5b) {
      if (++depth > JSON_DEPTH_LIMIT) return false
    } else if (code === 0x7d || code === 0x5d) {
      depth--
    }
  }
  return true
}
