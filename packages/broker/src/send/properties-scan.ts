/**
 * One pass over the properties text of a SEND: no map, no slices but the two that are kept (keys and unique key).
 *
 * Shape of the text: `name 0x01 value 0x02` repeated; the last 0x02 may be missing. Budget per message: no allocation
 * beyond those slices, one visit per character.
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
  /** INNER_MULTI_DISPATCH, unparsed. */
  multiDispatch: string | undefined
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
    multiDispatch: undefined,
    needsRewrite: false,
    isTerminated: true,
  }
}

const nameEnd = 1
const valueEnd = 2

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
  found.multiDispatch = undefined
  found.needsRewrite = false
  const length = text.length
  found.isTerminated = length === 0 || text.charCodeAt(length - 1) === valueEnd

  let start = 0
  let separator = -1
  for (let position = 0; position <= length; position++) {
    const code = position === length ? valueEnd : text.charCodeAt(position)
    if (code > valueEnd) continue
    if (code === nameEnd) {
      if (separator < 0) separator = position
    } else if (code === valueEnd) {
      if (position === length && position === start) break
      if (separator > start && separator < position - 1) takeEntry(text, start, separator, position, found)
      else found.needsRewrite = true
      start = position + 1
      separator = -1
    }
  }
}

/** Names are told apart by their length first, so that a user's property costs one comparison. */
function takeEntry(text: string, start: number, separator: number, end: number, found: ScannedProperties): void {
  switch (separator - start) {
    case 4:
      if (text.startsWith('WAIT', start)) found.isWaitStoreOk = isTrue(text, separator + 1, end)
      else if (text.startsWith('TAGS', start)) found.tagsCode = hashOf(text, separator + 1, end)
      else if (text.startsWith('KEYS', start)) found.keys = text.slice(separator + 1, end)
      return
    case 5:
      if (text.startsWith('DELAY', start)) found.delayText = text.slice(separator + 1, end)
      return
    case 6:
      if (text.startsWith('POP_CK', start)) found.needsRewrite = true
      return
    case 7:
      if (text.startsWith('CLUSTER', start)) found.needsRewrite = true
      return
    case 8:
      takeEightLetterEntry(text, start, separator, end, found)
      return
    case 9:
      if (text.startsWith('INNER_NUM', start)) found.hasInnerCount = true
      return
    case 10:
      if (text.startsWith('MSG_REGION', start)) found.needsRewrite = true
      return
    case 14:
      if (text.startsWith('TIMER_DELAY_MS', start)) found.isTimer = true
      return
    case 15:
      if (text.startsWith('TIMER_DELAY_SEC', start)) found.isTimer = true
      return
    case 16:
      if (text.startsWith('TIMER_DELIVER_MS', start)) found.isTimer = true
      return
    case 20:
      if (text.startsWith('INNER_MULTI_DISPATCH', start)) found.multiDispatch = text.slice(separator + 1, end)
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
  if (text.startsWith('UNIQ_KEY', start)) found.uniqueKey = text.slice(separator + 1, end)
  else if (text.startsWith('TRAN_MSG', start)) found.isTransaction = isTrue(text, separator + 1, end)
  else if (text.startsWith('TRACE_ON', start) || text.startsWith('__CRC32#', start)) found.needsRewrite = true
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
