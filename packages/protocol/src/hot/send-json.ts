import { internedText } from './interned-text.ts'
import { jsonText, jsonTextEnd } from './json-text.ts'
import type { SendMessageHeader } from './send-message.ts'

/*
 * The broker's most frequent work, so it gets a scanner of its own: `{"a":"…","b":"…",…}`, one-letter names only, in any
 * order. Each byte is looked at once. Budget: the header object, the text of the properties; topic, groups and broker are
 * texts seen before. Whatever is not exactly so is left to the general ways.
 */

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const COLON = 0x3a
const BACKSLASH = 0x5c
const FALSE_FIRST = 0x66
const TRUE_FIRST = 0x74

/** All one-letter fields that must be there: a to h. */
const MANDATORY_BITS = 0xff

/** Outcome of the functions that read a value and return the offset of its closing quote, or -1. */
let number = 0
let name = ''
let flag = false

/** The header of an undecoded JSON send request; undefined when only a more general reader can tell. */
export function scanSendJson(source: Buffer, start: number, end: number): SendMessageHeader | undefined {
  const header: SendMessageHeader = {
    producerGroup: '',
    topic: '',
    defaultTopic: '',
    defaultTopicQueueNums: 0,
    queueId: 0,
    sysFlag: 0,
    bornTimestamp: 0,
    flag: 0,
    properties: undefined,
    reconsumeTimes: 0,
    unitMode: false,
    batch: false,
    maxReconsumeTimes: undefined,
    brokerName: undefined,
  }
  const last = end - 1
  let seen = 0
  // At the brace before the first field, at the comma before each other one.
  for (let at = start; ; ) {
    if (source[at + 1] !== QUOTE || source[at + 3] !== QUOTE) return undefined
    if (source[at + 4] !== COLON || source[at + 5] !== QUOTE) return undefined
    const letter = source[at + 2]!
    at = takeField(header, letter, source, at + 6)
    if (at < 0 || at >= last) return undefined
    seen |= 1 << (letter - 0x61)
    if (++at === last) break
    if (source[at] !== COMMA) return undefined
  }
  return (seen & MANDATORY_BITS) === MANDATORY_BITS ? header : undefined
}

/** Reads the value at `at` into the field `letter`; returns the offset of its closing quote, or -1. */
function takeField(header: SendMessageHeader, letter: number, source: Buffer, at: number): number {
  let end: number
  switch (letter) {
    case 0x61:
      end = readName(source, at)
      header.producerGroup = name
      return end
    case 0x62:
      end = readName(source, at)
      header.topic = name
      return end
    case 0x63:
      end = readName(source, at)
      header.defaultTopic = name
      return end
    case 0x64:
      end = readInt32(source, at)
      header.defaultTopicQueueNums = number
      return end
    case 0x65:
      end = readInt32(source, at)
      header.queueId = number
      return end
    case 0x66:
      end = readInt32(source, at)
      header.sysFlag = number
      return end
    case 0x67:
      end = readInteger(source, at)
      header.bornTimestamp = number
      return end
    case 0x68:
      end = readInt32(source, at)
      header.flag = number
      return end
    case 0x69:
      header.properties = jsonText(source, at)
      return header.properties === undefined ? -1 : jsonTextEnd
    default:
      return takeOptionalField(header, letter, source, at)
  }
}

function takeOptionalField(header: SendMessageHeader, letter: number, source: Buffer, at: number): number {
  let end: number
  switch (letter) {
    case 0x6a:
      end = readInt32(source, at)
      header.reconsumeTimes = number
      return end
    case 0x6b:
      end = readFlag(source, at)
      header.unitMode = flag
      return end
    case 0x6c:
      end = readInt32(source, at)
      header.maxReconsumeTimes = number
      return end
    case 0x6d:
      end = readFlag(source, at)
      header.batch = flag
      return end
    case 0x6e:
      end = readName(source, at)
      header.brokerName = name
      return end
    default:
      return -1
  }
}

function readName(source: Buffer, start: number): number {
  let at = start
  for (;;) {
    const byte = source[at]!
    if (byte === QUOTE) break
    if (byte === BACKSLASH || byte < 0x20) return -1
    at++
  }
  name = internedText(source, start, at)
  return at
}

function readInt32(source: Buffer, start: number): number {
  const end = readInteger(source, start)
  return (number | 0) === number ? end : -1
}

/** A decimal of up to 15 digits. */
function readInteger(source: Buffer, start: number): number {
  const isNegative = source[start] === MINUS
  const first = isNegative ? start + 1 : start
  let at = first
  let value = 0
  for (let digit = source[at]! - 0x30; digit >= 0 && digit <= 9; digit = source[++at]! - 0x30)
    value = value * 10 + digit
  number = isNegative && value !== 0 ? -value : value
  return source[at] === QUOTE && at > first && at - first <= 15 ? at : -1
}

/** Exactly `true` or `false`. */
function readFlag(source: Buffer, at: number): number {
  if (source[at] === FALSE_FIRST && source[at + 1] === 0x61 && source[at + 2] === 0x6c && source[at + 3] === 0x73) {
    flag = false
    return source[at + 4] === 0x65 && source[at + 5] === QUOTE ? at + 5 : -1
  }
  if (source[at] !== TRUE_FIRST || source[at + 1] !== 0x72 || source[at + 2] !== 0x75) return -1
  flag = true
  return source[at + 3] === 0x65 && source[at + 4] === QUOTE ? at + 4 : -1
}
