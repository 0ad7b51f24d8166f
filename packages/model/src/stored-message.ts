import { RocketMqError } from '@rocketmq-ts/runtime'
import type { Host } from './host.ts'
import { readInt32, readInt64, writeInt32, writeInt64 } from './int64.ts'
import { PROPERTIES_LIMIT_BYTES } from './properties.ts'
import {
  bodyLengthAt,
  bornHostBytes,
  magicV1,
  magicV2,
  RECORD_FIXED_BYTES,
  recordBytes,
  recordLayout,
  storeHostBytes,
  V1_TOPIC_LIMIT_BYTES,
} from './record-layout.ts'
import { sysFlag } from './sys-flag.ts'
import { isAsciiText, readText } from './text-bytes.ts'

/** A message as it lies in the commit log and travels to consumers; see `record-layout.ts`. */
export interface StoredMessage {
  /** Bytes of the whole record. */
  readonly totalSize: number
  readonly magic: number
  /** Of the body as stored; 0 for an empty one. */
  readonly bodyCrc: number
  readonly queueId: number
  readonly flag: number
  readonly queueOffset: number
  readonly physicalOffset: number
  readonly sysFlag: number
  /** ms since 1970. */
  readonly bornTimestamp: number
  readonly bornHost: Host
  /** ms since 1970. */
  readonly storeTimestamp: number
  readonly storeHost: Host
  readonly reconsumeTimes: number
  readonly preparedTransactionOffset: number
  /** As stored: possibly compressed. */
  readonly body: Buffer
  readonly topic: string
  readonly propertiesText: string
}

/**
 * A record of a buffer. Numbers and the topic are read at once; hosts, body and properties when first asked for, because
 * most consumers need few of them. Keeps the buffer alive; the body is a slice of it.
 */
class RecordView implements StoredMessage {
  readonly totalSize: number
  readonly magic: number
  readonly bodyCrc: number
  readonly queueId: number
  readonly flag: number
  readonly queueOffset: number
  readonly physicalOffset: number
  readonly sysFlag: number
  readonly bornTimestamp: number
  readonly storeTimestamp: number
  readonly reconsumeTimes: number
  readonly preparedTransactionOffset: number
  readonly topic: string
  private readonly buffer: Buffer
  private readonly start: number
  private readonly bodyStart: number
  private readonly bodyEnd: number
  private readonly propertiesStart: number
  private cachedBody: Buffer | undefined
  private cachedProperties: string | undefined
  private cachedBornHost: Host | undefined
  private cachedStoreHost: Host | undefined

  /** `previousTopic` is returned again when it is this record's, so that a run of one topic shares one string. */
  constructor(buffer: Buffer, start: number, end: number, previousTopic: string) {
    if (end - start < RECORD_FIXED_BYTES) throw invalidRecord(start, `only ${end - start} bytes are left`)
    const totalSize = readInt32(buffer, start)
    const magic = readInt32(buffer, start + recordLayout.magic)
    if (magic !== magicV1 && magic !== magicV2) throw invalidRecord(start, `unknown magic ${magic}`)
    if (totalSize < RECORD_FIXED_BYTES || totalSize > end - start) {
      throw invalidRecord(start, `size ${totalSize} with ${end - start} bytes left`)
    }
    const flags = readInt32(buffer, start + recordLayout.sysFlag)
    this.totalSize = totalSize
    this.magic = magic
    this.bodyCrc = readInt32(buffer, start + recordLayout.bodyCrc)
    this.queueId = readInt32(buffer, start + recordLayout.queueId)
    this.flag = readInt32(buffer, start + recordLayout.flag)
    this.queueOffset = readInt64(buffer, start + recordLayout.queueOffset)
    this.physicalOffset = readInt64(buffer, start + recordLayout.physicalOffset)
    this.sysFlag = flags
    this.bornTimestamp = readInt64(buffer, start + recordLayout.bornTimestamp)
    const bodyStart = start + bodyLengthAt(flags) + 4
    const topicLengthBytes = magic === magicV2 ? 2 : 1
    const spare = start + totalSize - bodyStart - topicLengthBytes - 2
    if (spare < 0) throw invalidRecord(start, `size ${totalSize} is too small for its hosts`)
    this.storeTimestamp = readInt64(buffer, start + recordLayout.bornHost + bornHostBytes(flags))
    this.reconsumeTimes = readInt32(buffer, bodyStart - 16)
    this.preparedTransactionOffset = readInt64(buffer, bodyStart - 12)
    const bodyLength = readInt32(buffer, bodyStart - 4)
    if (bodyLength < 0 || bodyLength > spare) throw invalidRecord(start, `body length ${bodyLength}`)
    const bodyEnd = bodyStart + bodyLength
    const topicLength = magic === magicV2 ? buffer.readInt16BE(bodyEnd) : buffer[bodyEnd]!
    if (topicLength < 0 || topicLength > spare - bodyLength) throw invalidRecord(start, `topic length ${topicLength}`)
    const topicStart = bodyEnd + topicLengthBytes
    const topicEnd = topicStart + topicLength
    const propertiesLength = buffer.readInt16BE(topicEnd)
    if (propertiesLength !== start + totalSize - topicEnd - 2) {
      throw invalidRecord(start, `properties length ${propertiesLength}`)
    }
    this.topic = isAsciiText(buffer, topicStart, topicEnd, previousTopic)
      ? previousTopic
      : readText(buffer, topicStart, topicEnd)
    this.buffer = buffer
    this.start = start
    this.bodyStart = bodyStart
    this.bodyEnd = bodyEnd
    this.propertiesStart = topicEnd + 2
    this.cachedBody = undefined
    this.cachedProperties = undefined
    this.cachedBornHost = undefined
    this.cachedStoreHost = undefined
  }

  get body(): Buffer {
    this.cachedBody ??= this.buffer.subarray(this.bodyStart, this.bodyEnd)
    return this.cachedBody
  }

  get propertiesText(): string {
    this.cachedProperties ??= readText(this.buffer, this.propertiesStart, this.start + this.totalSize)
    return this.cachedProperties
  }

  get bornHost(): Host {
    this.cachedBornHost ??= readHost(this.buffer, this.start + recordLayout.bornHost, bornHostBytes(this.sysFlag))
    return this.cachedBornHost
  }

  get storeHost(): Host {
    const bytes = storeHostBytes(this.sysFlag)
    this.cachedStoreHost ??= readHost(this.buffer, this.bodyStart - 16 - bytes, bytes)
    return this.cachedStoreHost
  }
}

function invalidRecord(at: number, what: string): RocketMqError {
  return new RocketMqError('BODY_INVALID', `Stored message at byte ${at}: ${what}.`)
}

function readHost(buffer: Buffer, at: number, bytes: number): Host {
  const portAt = at + bytes - 4
  return { address: buffer.subarray(at, portAt), port: readInt32(buffer, portAt) }
}

/**
 * The record that begins at `offset`. Its parts must add up to its size. The result keeps `buffer` alive and reads from
 * it, so it must not be overwritten. Throws BODY_INVALID.
 */
export function decodeStoredMessage(buffer: Buffer, offset = 0): StoredMessage {
  return new RecordView(buffer, offset, buffer.length, '')
}

/** All records of the body of a PULL, POP, QUERY or VIEW answer, as {@link decodeStoredMessage}. Throws BODY_INVALID. */
export function decodeStoredMessages(buffer: Buffer): StoredMessage[] {
  const messages: StoredMessage[] = []
  let topic = ''
  for (let at = 0; at < buffer.length; ) {
    const message = new RecordView(buffer, at, buffer.length, topic)
    messages.push(message)
    topic = message.topic
    at += message.totalSize
  }
  return messages
}

/**
 * The bytes of a record with the fields given; its size is computed, the CRC is taken as given. The system flag's IPv6
 * bits must agree with the hosts. Throws INVALID_ARGUMENT when a part doesn't fit its length field.
 */
export function encodeStoredMessage(message: Omit<StoredMessage, 'totalSize'>): Buffer {
  const topic = Buffer.from(message.topic, 'utf8')
  const properties = Buffer.from(message.propertiesText, 'utf8')
  assertEncodable(message, topic.length, properties.length)
  const size = recordBytes(message.magic, message.sysFlag, message.body.length, topic.length, properties.length)
  const buffer = Buffer.allocUnsafe(size)
  let at = writeInt32(buffer, size, 0)
  at = writeInt32(buffer, message.magic, at)
  at = writeInt32(buffer, message.bodyCrc, at)
  at = writeInt32(buffer, message.queueId, at)
  at = writeInt32(buffer, message.flag, at)
  at = writeInt64(buffer, message.queueOffset, at)
  at = writeInt64(buffer, message.physicalOffset, at)
  at = writeInt32(buffer, message.sysFlag, at)
  at = writeInt64(buffer, message.bornTimestamp, at)
  at = writeHost(buffer, message.bornHost, at)
  at = writeInt64(buffer, message.storeTimestamp, at)
  at = writeHost(buffer, message.storeHost, at)
  at = writeInt32(buffer, message.reconsumeTimes, at)
  at = writeInt64(buffer, message.preparedTransactionOffset, at)
  at = writeInt32(buffer, message.body.length, at)
  at += message.body.copy(buffer, at)
  at = message.magic === magicV2 ? buffer.writeInt16BE(topic.length, at) : buffer.writeUInt8(topic.length, at)
  at += topic.copy(buffer, at)
  at = buffer.writeInt16BE(properties.length, at)
  properties.copy(buffer, at)
  return buffer
}

function writeHost(buffer: Buffer, host: Host, at: number): number {
  return writeInt32(buffer, host.port, at + host.address.copy(buffer, at))
}

function assertEncodable(message: Omit<StoredMessage, 'totalSize'>, topicBytes: number, propertiesBytes: number): void {
  const { magic } = message
  let problem: string | undefined
  if (magic !== magicV1 && magic !== magicV2) problem = `magic ${magic} is unknown`
  const topicLimit = magic === magicV2 ? 32_767 : V1_TOPIC_LIMIT_BYTES
  if (topicBytes > topicLimit) problem = `the topic has ${topicBytes} bytes, at most ${topicLimit} fit this version`
  if (propertiesBytes > PROPERTIES_LIMIT_BYTES) problem = `the properties have ${propertiesBytes} bytes`
  if (message.bornHost.address.length !== (message.sysFlag & sysFlag.bornHostV6 ? 16 : 4)) {
    problem = 'the born host does not agree with the system flag'
  }
  if (message.storeHost.address.length !== (message.sysFlag & sysFlag.storeHostV6 ? 16 : 4)) {
    problem = 'the store host does not agree with the system flag'
  }
  if (problem !== undefined) throw new RocketMqError('INVALID_ARGUMENT', `Can't encode a stored message: ${problem}.`)
}
