/**
 * One pass over the properties text of a SEND: no map, no slices but the two that are kept (keys and unique key).
 *
 * Shape of the text: `name 0x01 value 0x02` repeated; the last 0x02 may be missing. Budget per message: no allocation
 * beyond those slices, two searches per entry.
 */
export interface ScannedProperties {
  /** KEYS, as sent: blanks separate the keys. */
  keys: string | undefined
  /** UNIQ_KEY. */
  uniqueKey: string | undefined
  /** `String.hashCode` of the whole TAGS value; 0 without tags. */
  tagsCode: number
  /** DELAY, unparsed. */
  delayText: string | undefined
  /** False only when WAIT is present and isn't "true". */
  isWaitStoreOk: boolean
  /** TRAN_MSG is "true". */
  isTransaction: boolean
  /** One of TIMER_DELAY_SEC, TIMER_DELAY_MS, TIMER_DELIVER_MS is present. */
  isTimer: boolean
  /** INNER_NUM is present. */
  hasInnerCount: boolean
  /**
   * The text must be rebuilt before it is stored: it holds an entry that readers drop, or a name which the broker itself
   * writes (MSG_REGION, TRACE_ON, CLUSTER) or removes (POP_CK, the record checksum).
   */
  needsRewrite: boolean
  /** The last entry ends with 0x02. True for an empty text. */
  isTerminated: boolean
}

/** A result object to be reused: {@link scanProperties} fills it in. */
export function newScannedProperties(): ScannedProperties {
  return {
    keys: undefined,
    uniqueKey: undefined,
    tagsCode: 0,
    delayText: undefined,
    isWaitStoreOk: true,
    isTransaction: false,
    isTimer: false,
    hasInnerCount: false,
    needsRewrite: false,
    isTerminated: true,
  }
}

const LETTER_C = 0x43
const LETTER_D = 0x44
const LETTER_I = 0x49
const LETTER_K = 0x4b
const LETTER_M = 0x4d
const LETTER_P = 0x50
const LETTER_T = 0x54
const LETTER_U = 0x55
const LETTER_W = 0x57
const UNDERSCORE = 0x5f
const VALUE_END = 2

/**
 * Fills `found` from `text`. Never throws: what a Java reader drops is dropped here as well, and marked in `needsRewrite`.
 * Source: MessageDecoder#string2messageProperties, 5.3.x
 */
export function scanProperties(text: string, found: ScannedProperties): void {
  found.keys = undefined
  found.uniqueKey = undefined
  found.tagsCode = 0
  found.delayText = undefined
  found.isWaitStoreOk = true
  found.isTransaction = false
  found.isTimer = false
  found.hasInnerCount = false
  found.needsRewrite = false
  const length = text.length
  found.isTerminated = length === 0 || text.charCodeAt(length - 1) === VALUE_END
  // Looking for one character is a call into the engine's fastest loop; visiting each character costs three times as much.
  let separator = -1
  for (let start = 0; start < length; ) {
    let end = text.indexOf('\u0002', start)
    if (end < 0) end = length
    if (separator < start) {
      separator = text.indexOf('\u0001', start)
      if (separator < 0) separator = length
    }
    if (separator > start && separator < end - 1) takeEntry(text, start, separator, end, found)
    else found.needsRewrite = true
    start = end + 1
  }
}

/**
 * Names are told apart by length and first letter, so that a user's property costs two comparisons and no call.
 */
function takeEntry(text: string, start: number, separator: number, end: number, found: ScannedProperties): void {
  const first = text.charCodeAt(start)
  switch (separator - start) {
    case 4:
      if (first === LETTER_W && text.startsWith('WAIT', start)) found.isWaitStoreOk = isTrue(text, separator + 1, end)
      else if (first === LETTER_T && text.startsWith('TAGS', start)) found.tagsCode = hashOf(text, separator + 1, end)
      else if (first === LETTER_K && text.startsWith('KEYS', start)) found.keys = text.slice(separator + 1, end)
      return
    case 5:
      if (first === LETTER_D && text.startsWith('DELAY', start)) found.delayText = text.slice(separator + 1, end)
      return
    case 6:
      if (first === LETTER_P && text.startsWith('POP_CK', start)) found.needsRewrite = true
      return
    case 7:
      if (first === LETTER_C && text.startsWith('CLUSTER', start)) found.needsRewrite = true
      return
    case 8:
      takeEightLetterEntry(text, start, separator, end, found)
      return
    case 9:
      if (first === LETTER_I && text.startsWith('INNER_NUM', start)) found.hasInnerCount = true
      return
    case 10:
      if (first === LETTER_M && text.startsWith('MSG_REGION', start)) found.needsRewrite = true
      return
    case 14:
      if (first === LETTER_T && text.startsWith('TIMER_DELAY_MS', start)) found.isTimer = true
      return
    case 15:
      if (first === LETTER_T && text.startsWith('TIMER_DELAY_SEC', start)) found.isTimer = true
      return
    case 16:
      if (first === LETTER_T && text.startsWith('TIMER_DELIVER_MS', start)) found.isTimer = true
      return
    default:
  }
}

function takeEightLetterEntry(
  text: string,
  start: number,
  separator: number,
  end: number,
  found: ScannedProperties,
): void {
  const first = text.charCodeAt(start)
  if (first === LETTER_U && text.startsWith('UNIQ_KEY', start)) found.uniqueKey = text.slice(separator + 1, end)
  else if (first === LETTER_T && text.startsWith('TRAN_MSG', start))
    found.isTransaction = isTrue(text, separator + 1, end)
  else if (first === LETTER_T && text.startsWith('TRACE_ON', start)) found.needsRewrite = true
  else if (first === UNDERSCORE && text.startsWith('__CRC32#', start)) found.needsRewrite = true
}

function isTrue(text: string, start: number, end: number): boolean {
  if (end - start !== 4) return false
  return text.startsWith('true', start) || text.slice(start, end).toLowerCase() === 'true'
}

/** Source: java.lang.String#hashCode */
function hashOf(text: string, start: number, end: number): number {
  let hash = 0
  for (let position = start; position < end; position++) hash = (Math.imul(hash, 31) + text.charCodeAt(position)) | 0
  return hash
}
