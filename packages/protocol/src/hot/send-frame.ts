import { RocketMqError } from '@rocketmq-ts/runtime'
import { sendMessage } from '../apis/send-message.ts'
import { commandFlag, type RemotingCommand, serializeTypes } from '../command.ts'
import { decodeHeader } from '../define.ts'
import { FRAME_LIMIT_BYTES, FRAME_PREFIX_BYTES, writeFramePrefix } from '../frame.ts'
import { CURRENT_VERSION } from '../mq-version.ts'
import { RequestCode } from '../request-codes.ts'
import { fieldCursor } from './field-cursor.ts'
import type { SendMessageHeader } from './send-message.ts'

/**
 * The head of a SEND_MESSAGE_V2 frame, or of SEND_BATCH_MESSAGE when `header.batch`, in JSON; the body of `bodyLength`
 * bytes follows on the wire. For producers: what the general codec would write, in a third of its time. Throws
 * `FRAME_TOO_LARGE`. A hook that signs or adds fields needs the general codec.
 */
export function encodeSendFrameHead(
  header: SendMessageHeader,
  opaque: number,
  oneway: boolean,
  bodyLength: number,
): Buffer {
  const text = headText(header, opaque, oneway)
  const headerLength = Buffer.byteLength(text)
  const length = FRAME_PREFIX_BYTES + headerLength + bodyLength
  if (length > FRAME_LIMIT_BYTES) {
    throw new RocketMqError('FRAME_TOO_LARGE', `a frame of ${length} bytes is larger than ${FRAME_LIMIT_BYTES}`)
  }
  const head = Buffer.allocUnsafe(FRAME_PREFIX_BYTES + headerLength)
  writeFramePrefix(head, 0, serializeTypes.json, headerLength, bodyLength)
  head.write(text, FRAME_PREFIX_BYTES, headerLength === text.length ? 'latin1' : 'utf8')
  return head
}

/** JSON.stringify spells control characters with lower-case digits where Java has upper case; readers see no difference. */
function headText(header: SendMessageHeader, opaque: number, oneway: boolean): string {
  const code = header.batch ? RequestCode.SEND_BATCH_MESSAGE : RequestCode.SEND_MESSAGE_V2
  const properties = header.properties === undefined ? '' : `,"i":${JSON.stringify(header.properties)}`
  const retries = header.maxReconsumeTimes === undefined ? '' : `,"l":"${header.maxReconsumeTimes}"`
  const broker = header.brokerName === undefined ? '' : `,"n":${JSON.stringify(header.brokerName)}`
  return `{"code":${code},"extFields":{"a":${JSON.stringify(header.producerGroup)},"b":${JSON.stringify(header.topic)},"c":${JSON.stringify(header.defaultTopic)},"d":"${header.defaultTopicQueueNums}","e":"${header.queueId}","f":"${header.sysFlag}","g":"${header.bornTimestamp}","h":"${header.flag}"${properties},"j":"${header.reconsumeTimes}","k":"${header.unitMode}"${retries},"m":"${header.batch}"${broker}},"flag":${oneway ? commandFlag.oneway : 0},"language":"JAVA","opaque":${opaque},"serializeTypeCurrentRPC":"JSON","version":${CURRENT_VERSION}}`
}

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
