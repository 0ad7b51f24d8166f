import {
  bodyCrc,
  CRC_PROPERTY_BYTES,
  magicV1,
  magicV2,
  PROPERTIES_LIMIT_BYTES,
  RECORD_FIXED_BYTES,
  sysFlag,
  V1_TOPIC_LIMIT_BYTES,
  writeCrcProperty,
} from '@rocketmq-ts/model'
import type { AppendRecord } from '../append-record.ts'
import type { TailChunk } from './tail.ts'

/**
 * Encodes records into the tail. Budget per record: no allocation, one copy of the body, one of the topic, one encoding
 * of the property text, one CRC. The layout is that of `stored-message.ts` in `model`, against which a test compares it.
 */

const TWO_32 = 4294967296
/** What two IPv6 hosts and the longer topic length add to a record's fixed bytes. */
const VARIANT_BYTES_MAX = 2 * 12 + 1

export const PROPERTIES_TOO_LONG = -1

/** Most bytes that `record` can take. */
export function encodedSizeMax(record: AppendRecord): number {
  const { properties } = record
  const propertiesMax = typeof properties === 'string' ? properties.length * 3 : properties.length
  const fixedMax = RECORD_FIXED_BYTES + VARIANT_BYTES_MAX + CRC_PROPERTY_BYTES + 1
  return fixedMax + record.body.length + record.topicBytes.length + propertiesMax
}

/**
 * Encodes `record` behind `chunk.length + ahead`; room for {@link encodedSizeMax} is there. Returns the size, or
 * {@link PROPERTIES_TOO_LONG}. `appendCrc` adds the property that covers the whole record.
 */
export function encodeRecord(
  chunk: TailChunk,
  ahead: number,
  record: AppendRecord,
  queueOffset: number,
  physicalOffset: number,
  storeTimestamp: number,
  appendCrc: boolean,
): number {
  const { buffer, view } = chunk
  const { body, topicBytes, bornHost, storeHost } = record
  const start = chunk.length + ahead
  const isV2 = topicBytes.length > V1_TOPIC_LIMIT_BYTES
  let flags = record.sysFlag & ~(sysFlag.bornHostV6 | sysFlag.storeHostV6)
  if (bornHost.address.length === 16) flags |= sysFlag.bornHostV6
  if (storeHost.address.length === 16) flags |= sysFlag.storeHostV6

  view.setInt32(start + 4, isV2 ? magicV2 : magicV1)
  view.setInt32(start + 8, bodyCrc(body))
  view.setInt32(start + 12, record.queueId)
  view.setInt32(start + 16, record.flag)
  view.setInt32(start + 20, queueOffset / TWO_32)
  view.setInt32(start + 24, queueOffset)
  view.setInt32(start + 28, physicalOffset / TWO_32)
  view.setInt32(start + 32, physicalOffset)
  view.setInt32(start + 36, flags)
  view.setInt32(start + 40, Math.floor(record.bornTimestamp / TWO_32))
  view.setInt32(start + 44, record.bornTimestamp)
  let at = writeHost(buffer, view, start + 48, bornHost.address, bornHost.port)
  view.setInt32(at, storeTimestamp / TWO_32)
  view.setInt32(at + 4, storeTimestamp)
  at = writeHost(buffer, view, at + 8, storeHost.address, storeHost.port)
  view.setInt32(at, record.reconsumeTimes)
  view.setInt32(at + 4, Math.floor(record.preparedTransactionOffset / TWO_32))
  view.setInt32(at + 8, record.preparedTransactionOffset)
  view.setInt32(at + 12, body.length)
  buffer.set(body, at + 16)
  at += 16 + body.length
  if (isV2) {
    view.setInt16(at, topicBytes.length)
    at += 2
  } else {
    buffer[at++] = topicBytes.length
  }
  for (let i = 0; i < topicBytes.length; i++) buffer[at + i] = topicBytes[i]!
  at += topicBytes.length
  return finishRecord(chunk, start, at, record.properties, appendCrc)
}

/** Properties, the appended CRC, and the size that heads the record. */
function finishRecord(
  chunk: TailChunk,
  start: number,
  lengthAt: number,
  properties: string | Buffer,
  appendCrc: boolean,
): number {
  const { buffer, view } = chunk
  const at = lengthAt + 2
  let length: number
  if (typeof properties === 'string') {
    length = properties.length === 0 ? 0 : buffer.write(properties, at)
  } else {
    buffer.set(properties, at)
    length = properties.length
  }
  if (appendCrc) {
    if (length > 0 && buffer[at + length - 1] !== 2) buffer[at + length++] = 2
    length += CRC_PROPERTY_BYTES
  }
  if (length > PROPERTIES_LIMIT_BYTES) return PROPERTIES_TOO_LONG
  view.setInt16(lengthAt, length)
  const end = at + length
  view.setInt32(start, end - start)
  if (appendCrc) writeCrcProperty(buffer, start, end)
  return end - start
}

function writeHost(buffer: Buffer, view: DataView, at: number, address: Buffer, port: number): number {
  const length = address.length
  for (let i = 0; i < length; i++) buffer[at + i] = address[i]!
  view.setInt32(at + length, port)
  return at + length + 4
}
