import type { Host } from '@rocketmq-ts/model'

/**
 * What became of a put. The names are Java's; `store.md` of the reference, or docs/compatibility.md, maps them to response codes.
 * Source: PutMessageStatus, 5.3.x.
 */
export type PutStatus =
  | 'PUT_OK'
  | 'MESSAGE_ILLEGAL'
  | 'PROPERTIES_SIZE_EXCEEDED'
  | 'SERVICE_NOT_AVAILABLE'
  | 'CREATE_MAPPED_FILE_FAILED'
  | 'UNKNOWN_ERROR'

/** A message as the broker hands it to the store. The store keeps no reference to it after `append` returns. */
export interface AppendRecord {
  topic: string
  /** `topic` in UTF-8; kept with the topic, not made per message. */
  topicBytes: Buffer
  queueId: number
  flag: number
  /** Wire flags; the store sets the two IPv6 bits itself. */
  sysFlag: number
  bornTimestamp: number
  bornHost: Host
  storeHost: Host
  reconsumeTimes: number
  /** 0 except for a committed transaction. */
  preparedTransactionOffset: number
  /** As it is to be stored, compressed or not. Borrowed: copied into the log. */
  body: Buffer
  /** `name \x01 value \x02` repeated. */
  properties: string | Buffer
  /** Java hash of TAGS, an int32; 0 without tags. */
  tagsCode: number
  /** Delivery time of an entry of SCHEDULE_TOPIC_XXXX; undefined or 0: found from the DELAY property where it applies. */
  delayDeliverTime?: number | undefined
  /** The KEYS property: keys separated by blanks. */
  keys: string | undefined
  /** The UNIQ_KEY property. */
  uniqueKey: string | undefined
}

/** One object per store, overwritten by the next append: copy what you keep. */
export interface AppendResult {
  status: PutStatus
  /** Of the first byte; for a batch of its first record. */
  physicalOffset: number
  /** Behind the last byte: what the watermarks must reach. */
  endOffset: number
  /** For a batch that of its first message; the others follow. */
  queueOffset: number
  storeTimestamp: number
  /** Of each record of a batch, in order; empty for a single record. */
  physicalOffsets: number[]
}
