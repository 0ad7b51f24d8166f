import { RocketMqError } from '@rocketmq-ts/runtime'
import { sendMessage } from '../apis/send-message.ts'
import { commandFlag, type RemotingCommand, serializeTypes } from '../command.ts'
import { decodeHeader } from '../define.ts'
import { FRAME_LIMIT_BYTES, FRAME_PREFIX_BYTES, writeFramePrefix } from '../frame.ts'
import { CURRENT_VERSION } from '../mq-version.ts'
import { RequestCode } from '../request-codes.ts'
import { fieldCursor } from './field-cursor.ts'
import type { SendMessageHeader } from './send-message.ts'
import { writeConstant, writeDecimal, writeQuoted } from './write-bytes.ts'

/** Bytes of a head without its texts: constants, prefix, and every number at its longest. */
const FIXED_BYTES_MAX = 512

/** Room that {@link writeSendFrameHead} needs at most. */
export function sendFrameHeadMaxBytes(header: SendMessageHeader): number {
  const { producerGroup, topic, defaultTopic, properties = '', brokerName = '' } = header
  const characters = producerGroup.length + topic.length + defaultTopic.length + properties.length + brokerName.length
  return FIXED_BYTES_MAX + characters * 6
}

/**
 * Writes the head of a SEND_MESSAGE_V2 frame at `at`, or of SEND_BATCH_MESSAGE when `header.batch`, in JSON, and returns
 * the offset after it; the body of `bodyLength` bytes follows on the wire. For producers: what the general codec writes,
 * in a quarter of its time. The caller has made sure of {@link sendFrameHeadMaxBytes} and of the frame limit. A hook that
 * signs or adds fields needs the general codec.
 */
export function writeSendFrameHead(
  target: Buffer,
  start: number,
  header: SendMessageHeader,
  opaque: number,
  oneway: boolean,
  bodyLength: number,
): number {
  const headerStart = start + FRAME_PREFIX_BYTES
  let at = writeConstant(target, headerStart, header.batch ? batchStart : messageStart)
  at = writeQuoted(target, at, header.producerGroup)
  at = writeQuoted(target, writeConstant(target, at, fieldB), header.topic)
  at = writeQuoted(target, writeConstant(target, at, fieldC), header.defaultTopic)
  at = writeDecimal(target, writeConstant(target, at, fieldD), header.defaultTopicQueueNums)
  at = writeDecimal(target, writeConstant(target, at, fieldE), header.queueId)
  at = writeDecimal(target, writeConstant(target, at, fieldF), header.sysFlag)
  at = writeDecimal(target, writeConstant(target, at, fieldG), header.bornTimestamp)
  at = writeDecimal(target, writeConstant(target, at, fieldH), header.flag)
  if (header.properties !== undefined) at = writeQuoted(target, writeConstant(target, at, fieldI), header.properties)
  else target[at++] = QUOTE
  at = writeDecimal(target, writeConstant(target, at, fieldJ), header.reconsumeTimes)
  at = writeConstant(target, at, header.unitMode ? unitModeOn : unitModeOff)
  if (header.maxReconsumeTimes !== undefined) {
    at = writeDecimal(target, writeConstant(target, at, fieldL), header.maxReconsumeTimes)
    target[at++] = QUOTE
  }
  at = writeConstant(target, at, header.batch ? batchOn : batchOff)
  if (header.brokerName !== undefined) at = writeQuoted(target, writeConstant(target, at, fieldN), header.brokerName)
  at = writeConstant(target, at, oneway ? onewayFlag : noFlag)
  at = writeConstant(target, writeDecimal(target, at, opaque), headEnd)
  writeFramePrefix(target, start, serializeTypes.json, at - headerStart, bodyLength)
  return at
}

/** {@link writeSendFrameHead} into a buffer of its own. Throws `FRAME_TOO_LARGE`. */
export function encodeSendFrameHead(
  header: SendMessageHeader,
  opaque: number,
  oneway: boolean,
  bodyLength: number,
): Buffer {
  const target = Buffer.allocUnsafe(sendFrameHeadMaxBytes(header))
  const end = writeSendFrameHead(target, 0, header, opaque, oneway, bodyLength)
  if (end + bodyLength > FRAME_LIMIT_BYTES) {
    const length = end + bodyLength
    throw new RocketMqError('FRAME_TOO_LARGE', `a frame of ${length} bytes is larger than ${FRAME_LIMIT_BYTES}`)
  }
  return target.subarray(0, end)
}

const QUOTE = 0x22
const code = (value: number) => Buffer.from(`{"code":${value},"extFields":{"a":`)
const messageStart = code(RequestCode.SEND_MESSAGE_V2)
const batchStart = code(RequestCode.SEND_BATCH_MESSAGE)
const fieldB = Buffer.from(',"b":')
const fieldC = Buffer.from(',"c":')
const fieldD = Buffer.from(',"d":"')
const fieldE = Buffer.from('","e":"')
const fieldF = Buffer.from('","f":"')
const fieldG = Buffer.from('","g":"')
const fieldH = Buffer.from('","h":"')
const fieldI = Buffer.from('","i":')
const fieldJ = Buffer.from(',"j":"')
const unitModeOn = Buffer.from('","k":"true"')
const unitModeOff = Buffer.from('","k":"false"')
const fieldL = Buffer.from(',"l":"')
const batchOn = Buffer.from(',"m":"true"')
const batchOff = Buffer.from(',"m":"false"')
const fieldN = Buffer.from(',"n":')
const noFlag = Buffer.from('},"flag":0,"language":"JAVA","opaque":')
const onewayFlag = Buffer.from(`},"flag":${commandFlag.oneway},"language":"JAVA","opaque":`)
const headEnd = Buffer.from(`,"serializeTypeCurrentRPC":"JSON","version":${CURRENT_VERSION}}`)

/** What a broker answers about a stored message. Source: SendMessageResponseHeader, 5.3.x. */
export interface SendResponseHeader {
  /** Offset message id; comma-joined for a batch. */
  msgId: string
  queueId: number
  queueOffset: number
  transactionId: string | undefined
  /** `MSG_REGION`, which the broker adds. */
  regionId: string | undefined
  traceOn: boolean
  recallHandle: string | undefined
  batchUniqId: string | undefined
}

/** The header of a send response that says "stored". Throws `HEADER_INVALID` naming the field. */
export function decodeSendResponse(command: RemotingCommand): SendResponseHeader {
  return scanSendResponse(command) ?? decodeSendResponseMap(command)
}

function decodeSendResponseMap(command: RemotingCommand): SendResponseHeader {
  const extFields = command.extFields
  const header = decodeHeader(sendMessage.response, extFields)
  return {
    msgId: header.msgId,
    queueId: header.queueId,
    queueOffset: header.queueOffset,
    transactionId: header.transactionId,
    regionId: extFields?.MSG_REGION,
    traceOn: isTraceOn(extFields?.TRACE_ON),
    recallHandle: header.recallHandle,
    batchUniqId: header.batchUniqId,
  }
}

/** Absent means on. Source: MQClientAPIImpl#processSendResponse, 5.3.x. */
function isTraceOn(text: string | undefined): boolean {
  return text !== 'false'
}

function scanSendResponse(command: RemotingCommand): SendResponseHeader | undefined {
  const cursor = fieldCursor
  if (!cursor.open(command)) return undefined
  let msgId: string | undefined
  let queueId = -1
  let queueOffset = -1
  let transactionId: string | undefined
  let regionId: string | undefined
  let traceOn = true
  let recallHandle: string | undefined
  let batchUniqId: string | undefined
  while (cursor.next()) {
    if (cursor.isNamed('msgId')) msgId = cursor.text()
    else if (cursor.isNamed('queueId')) queueId = cursor.int32()
    else if (cursor.isNamed('queueOffset')) queueOffset = cursor.int64()
    else if (cursor.isNamed('transactionId')) transactionId = cursor.text()
    else if (cursor.isNamed('MSG_REGION')) regionId = cursor.name()
    else if (cursor.isNamed('TRACE_ON')) traceOn = isTraceOn(cursor.name())
    else if (cursor.isNamed('recallHandle')) recallHandle = cursor.text()
    else if (cursor.isNamed('batchUniqId')) batchUniqId = cursor.text()
  }
  if (cursor.failed || msgId === undefined || queueId < 0 || queueOffset < 0) return undefined
  return { msgId, queueId, queueOffset, transactionId, regionId, traceOn, recallHandle, batchUniqId }
}
