import {
  CURRENT_VERSION,
  FRAME_LIMIT_BYTES,
  FRAME_PREFIX_BYTES,
  type RemotingCommand,
  RequestCode,
  requestCommand,
  writeFramePrefix,
} from '@rocketmq-ts/protocol'
import { RocketMqError } from '@rocketmq-ts/runtime'

/** What all messages to one queue share in the header of the codes that send. */
export interface SendHeaderParts {
  readonly group: string
  /** As on the wire. */
  readonly topic: string
  readonly defaultTopic: string
  readonly defaultTopicQueueNums: number
  readonly queueId: number
  readonly unitMode: boolean
  readonly brokerName: string
}

/** What one message adds. */
export interface SendHeaderValues {
  /** SEND_MESSAGE_V2, SEND_BATCH_MESSAGE or SEND_REPLY_MESSAGE_V2. */
  readonly code: number
  readonly isOneway: boolean
  readonly opaque: number
  readonly sysFlag: number
  readonly bornTimestamp: number
  readonly messageFlag: number
  readonly properties: string
  /** Of a retry message; 0 otherwise. */
  readonly reconsumeTimes: number
  /** Of a retry message; -1 for none. */
  readonly maxReconsumeTimes: number
}

const tail = `,"serializeTypeCurrentRPC":"JSON","version":${CURRENT_VERSION}}`
/** Connections copy parts below 4 KiB at once and keep larger ones by reference, which this memory doesn't allow. */
const scratchBytes = 4095
const scratch = Buffer.allocUnsafeSlow(3 * scratchBytes)

/** Text of the header up to the properties; made once per queue. */
export function sendHeaderStart(parts: SendHeaderParts, code: number): string {
  const text = JSON.stringify({
    code,
    extFields: {
      a: parts.group,
      b: parts.topic,
      c: parts.defaultTopic,
      d: String(parts.defaultTopicQueueNums),
      e: String(parts.queueId),
      k: String(parts.unitMode),
      m: String(code === RequestCode.SEND_BATCH_MESSAGE),
      n: parts.brokerName,
    },
  })
  return `${text.slice(0, -2)},"i":`
}

/**
 * Head of a send frame: everything but the body. Budget: two texts and, for usual sizes, no buffer: the result is a view of
 * memory that the next call overwrites, so it must be copied or sent before. Equal to the generic encoder, which a test
 * compares. Throws `FRAME_TOO_LARGE`. Source: SendMessageRequestHeaderV2, 5.3.x
 */
export function encodeSendHead(start: string, values: SendHeaderValues, bodyLength: number): Buffer {
  const { properties, sysFlag, bornTimestamp, messageFlag, reconsumeTimes, maxReconsumeTimes, isOneway, opaque } =
    values
  const limit = maxReconsumeTimes >= 0 ? `,"l":"${maxReconsumeTimes}"` : ''
  const fields = `"f":"${sysFlag}","g":"${bornTimestamp}","h":"${messageFlag}","j":"${reconsumeTimes}"${limit}`
  const frame = `"flag":${isOneway ? 2 : 0},"language":"JAVA","opaque":${opaque}${tail}`
  const text = `${start}${JSON.stringify(properties)},${fields}},${frame}`
  if (text.length + FRAME_PREFIX_BYTES <= scratchBytes) {
    const headerLength = scratch.write(text, FRAME_PREFIX_BYTES, 'utf8')
    if (FRAME_PREFIX_BYTES + headerLength <= scratchBytes) {
      writePrefix(scratch, headerLength, bodyLength)
      return scratch.subarray(0, FRAME_PREFIX_BYTES + headerLength)
    }
  }
  const headerLength = Buffer.byteLength(text)
  const head = Buffer.allocUnsafe(FRAME_PREFIX_BYTES + headerLength)
  head.write(text, FRAME_PREFIX_BYTES, 'utf8')
  writePrefix(head, headerLength, bodyLength)
  return head
}

function writePrefix(target: Buffer, headerLength: number, bodyLength: number): void {
  const length = FRAME_PREFIX_BYTES + headerLength + bodyLength
  if (length > FRAME_LIMIT_BYTES) {
    throw new RocketMqError('FRAME_TOO_LARGE', `a frame of ${length} bytes is larger than ${FRAME_LIMIT_BYTES}`)
  }
  writeFramePrefix(target, 0, 0, headerLength, bodyLength)
}

/** The same request as a command, for hooks that look at or sign its fields. */
export function sendCommand(parts: SendHeaderParts, values: SendHeaderValues, body: Buffer): RemotingCommand {
  const ext: Record<string, string> = {
    a: parts.group,
    b: parts.topic,
    c: parts.defaultTopic,
    d: String(parts.defaultTopicQueueNums),
    e: String(parts.queueId),
    f: String(values.sysFlag),
    g: String(values.bornTimestamp),
    h: String(values.messageFlag),
    i: values.properties,
    j: String(values.reconsumeTimes),
    k: String(parts.unitMode),
    m: String(values.code === RequestCode.SEND_BATCH_MESSAGE),
    n: parts.brokerName,
  }
  if (values.maxReconsumeTimes >= 0) ext.l = String(values.maxReconsumeTimes)
  const command = requestCommand(values.code, ext, body)
  command.opaque = values.opaque
  if (values.isOneway) command.flag |= 2
  return command
}
