import { sysFlag } from './sys-flag.ts'

/**
 * The layout of a stored message, equal in the commit log and in the answers to PULL, POP, QUERY and VIEW. Big-endian.
 *
 * | at | bytes | field |
 * |---:|---:|---|
 * | 0 | 4 | total size |
 * | 4 | 4 | magic: v1, v2, or blank for the filler at the end of a log file |
 * | 8 | 4 | CRC of the body as stored, 0 for an empty one |
 * | 12 | 4 | queue id |
 * | 16 | 4 | flag of the user |
 * | 20 | 8 | queue offset |
 * | 28 | 8 | physical offset |
 * | 36 | 4 | system flag |
 * | 40 | 8 | born timestamp |
 * | 48 | b = 8 or 20 | born host: address of 4 or 16 bytes, port int32 |
 * | 48 + b | 8 | store timestamp |
 * | 56 + b | s = 8 or 20 | store host |
 * | 56 + b + s | 4 | reconsume times |
 * | 60 + b + s | 8 | prepared transaction offset |
 * | 68 + b + s | 4 + n | body length, body |
 * | | 1 + n (v1), 2 + n (v2) | topic length, topic |
 * | | 2 + n | properties length (int16), properties |
 */
export const recordLayout = {
  totalSize: 0,
  magic: 4,
  bodyCrc: 8,
  queueId: 12,
  flag: 16,
  queueOffset: 20,
  physicalOffset: 28,
  sysFlag: 36,
  bornTimestamp: 40,
  bornHost: 48,
} as const

/** Magic of a record whose topic length takes one byte. */
export const magicV1 = 0xdaa320a7 | 0
/** Magic of a record whose topic length takes two bytes. */
export const magicV2 = 0xdaa320ab | 0
/** Magic of the filler at the end of a log file. */
export const magicBlank = 0xcbd43194 | 0

/** Bytes of the filler that are written; the rest of it keeps what was there. */
export const BLANK_HEAD_BYTES = 8

/** Longest topic of a v1 record, in bytes. */
export const V1_TOPIC_LIMIT_BYTES = 127

/** Bytes of a v1 record with IPv4 hosts beside body, topic and properties. */
export const RECORD_FIXED_BYTES = 91

/** Bytes that the born host takes. */
export function bornHostBytes(flag: number): number {
  return flag & sysFlag.bornHostV6 ? 20 : 8
}

/** Bytes that the store host takes. */
export function storeHostBytes(flag: number): number {
  return flag & sysFlag.storeHostV6 ? 20 : 8
}

/** Where the store timestamp of a record with this system flag lies. */
export function storeTimestampAt(flag: number): number {
  return recordLayout.bornHost + bornHostBytes(flag)
}

/** Where the body length of a record with this system flag lies. */
export function bodyLengthAt(flag: number): number {
  return 68 + bornHostBytes(flag) + storeHostBytes(flag)
}

/** Bytes of a whole record. */
export function recordBytes(
  magic: number,
  flag: number,
  bodyBytes: number,
  topicBytes: number,
  propertiesBytes: number,
): number {
  return bodyLengthAt(flag) + 4 + bodyBytes + (magic === magicV2 ? 2 : 1) + topicBytes + 2 + propertiesBytes
}

/** The version that a topic of so many bytes needs. */
export function magicForTopic(topicBytes: number): number {
  return topicBytes > V1_TOPIC_LIMIT_BYTES ? magicV2 : magicV1
}
