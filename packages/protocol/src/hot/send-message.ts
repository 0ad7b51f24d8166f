import { sendMessage } from '../apis/send-message.ts'
import { sendMessageV2 } from '../apis/send-message-v2.ts'
import { type ExtFields, type RemotingCommand, serializeTypes } from '../command.ts'
import { decodeHeader, type HeaderOf } from '../define.ts'
import { RequestCode } from '../request-codes.ts'
import { fieldCursor } from './field-cursor.ts'
import { scanSendJson } from './send-json.ts'

/**
 * What a send request says, whichever of its forms it came in. Source: SendMessageRequestHeader, 5.3.x.
 */
export interface SendMessageHeader {
  producerGroup: string
  topic: string
  /** The topic whose settings a new topic gets. */
  defaultTopic: string
  defaultTopicQueueNums: number
  /** Negative: any queue. */
  queueId: number
  sysFlag: number
  /** Milliseconds since 1970 on the producer's clock. */
  bornTimestamp: number
  /** The user's own number. */
  flag: number
  /** `name 0x01 value 0x02 …` */
  properties: string | undefined
  reconsumeTimes: number
  unitMode: boolean
  batch: boolean
  maxReconsumeTimes: number | undefined
  /** The broker that the producer means. */
  brokerName: string | undefined
}

/** All one-letter fields that must be there: a to h. */
const MANDATORY_BITS = 0xff

/**
 * The header of codes 10, 310, 320, 324 and 325. Straight from the bytes for the one-letter forms, else from the map.
 * Throws `HEADER_INVALID` naming the field.
 */
export function decodeSendRequest(command: RemotingCommand): SendMessageHeader {
  if (command.code === RequestCode.SEND_MESSAGE || command.code === RequestCode.SEND_REPLY_MESSAGE) {
    return decodeSendMessageV1(command.extFields)
  }
  const source = command.rawExt
  if (source !== undefined && command.serializeType === serializeTypes.json) {
    const header = scanSendJson(source, command.rawExtStart, command.rawExtEnd)
    if (header !== undefined) return header
  }
  return scanSendMessageV2(command) ?? decodeSendMessageV2(command.extFields)
}

/** The header with one-letter fields, from the map. Throws `HEADER_INVALID`. */
export function decodeSendMessageV2(extFields: ExtFields | undefined): SendMessageHeader {
  const header = decodeHeader(sendMessageV2.request, extFields)
  return {
    producerGroup: header.a,
    topic: header.b,
    defaultTopic: header.c,
    defaultTopicQueueNums: header.d,
    queueId: header.e,
    sysFlag: header.f,
    bornTimestamp: header.g,
    flag: header.h,
    properties: header.i,
    reconsumeTimes: header.j ?? 0,
    unitMode: header.k ?? false,
    batch: header.m ?? false,
    maxReconsumeTimes: header.l,
    brokerName: header.n,
  }
}

/** The header with full names, from the map. Throws `HEADER_INVALID`. */
export function decodeSendMessageV1(extFields: ExtFields | undefined): SendMessageHeader {
  const header: HeaderOf<typeof sendMessage.request> = decodeHeader(sendMessage.request, extFields)
  return {
    producerGroup: header.producerGroup,
    topic: header.topic,
    defaultTopic: header.defaultTopic,
    defaultTopicQueueNums: header.defaultTopicQueueNums,
    queueId: header.queueId,
    sysFlag: header.sysFlag,
    bornTimestamp: header.bornTimestamp,
    flag: header.flag,
    properties: header.properties,
    reconsumeTimes: header.reconsumeTimes ?? 0,
    unitMode: header.unitMode ?? false,
    batch: header.batch ?? false,
    maxReconsumeTimes: header.maxReconsumeTimes,
    brokerName: header.bname,
  }
}

/** Undefined when only the map can tell what the fields say. */
function scanSendMessageV2(command: RemotingCommand): SendMessageHeader | undefined {
  const cursor = fieldCursor
  if (!cursor.open(command)) return undefined
  let producerGroup = ''
  let topic = ''
  let defaultTopic = ''
  let defaultTopicQueueNums = 0
  let queueId = 0
  let sysFlag = 0
  let bornTimestamp = 0
  let flag = 0
  let properties: string | undefined
  let reconsumeTimes = 0
  let unitMode = false
  let maxReconsumeTimes: number | undefined
  let batch = false
  let brokerName: string | undefined
  let seen = 0
  while (cursor.next()) {
    if (cursor.nameLength !== 1) continue
    const letter = cursor.firstByte - 0x61
    seen |= 1 << letter
    if (letter === 0) producerGroup = cursor.name()
    else if (letter === 1) topic = cursor.name()
    else if (letter === 2) defaultTopic = cursor.name()
    else if (letter === 3) defaultTopicQueueNums = cursor.int32()
    else if (letter === 4) queueId = cursor.int32()
    else if (letter === 5) sysFlag = cursor.int32()
    else if (letter === 6) bornTimestamp = cursor.int64()
    else if (letter === 7) flag = cursor.int32()
    else if (letter === 8) properties = cursor.text()
    else if (letter === 9) reconsumeTimes = cursor.int32()
    else if (letter === 10) unitMode = cursor.boolean()
    else if (letter === 11) maxReconsumeTimes = cursor.int32()
    else if (letter === 12) batch = cursor.boolean()
    else if (letter === 13) brokerName = cursor.name()
  }
  if (cursor.failed || (seen & MANDATORY_BITS) !== MANDATORY_BITS) return undefined
  return {
    producerGroup,
    topic,
    defaultTopic,
    defaultTopicQueueNums,
    queueId,
    sysFlag,
    bornTimestamp,
    flag,
    properties,
    reconsumeTimes,
    unitMode,
    batch,
    maxReconsumeTimes,
    brokerName,
  }
}
