import { encodeOffsetMessageId, type Host } from '@rocketmq-ts/model'
import { commandFlag, type ExtFields, RemotingCommand, type SerializeType, serializeTypes } from '../command.ts'
import { encodeFrame, FRAME_PREFIX_BYTES, writeFramePrefix } from '../frame.ts'
import { CURRENT_VERSION } from '../mq-version.ts'
import { binaryText, decimalLength, writeConstant, writeDecimal, writeHex64, writePlainText } from './write-bytes.ts'

/** Bytes of a response without the transaction id and the region: constants, prefix and every number at its longest. */
const FIXED_BYTES_MAX = 448

/** Offset of the remark's length in a binary header. */
const BINARY_OPAQUE = 5

/** What every send response of one broker has in common. */
export interface SendResponseOptions {
  /** The address in the message ids; of IPv4 or IPv6. */
  storeHost: Host
  /** `regionId` of the broker. */
  region: string
  /** `traceOn` of the broker. */
  traceOn: boolean
}

/**
 * Writes the frames that answer stored messages straight into a buffer, without a command, a map or a string for them.
 *
 * ```text
 * {"code":C,"extFields":{"queueId":"Q","transactionId":"T","msgId":"HOST+OFFSET","TRACE_ON":"true",
 *  "MSG_REGION":"R","queueOffset":"O"},"flag":1,"language":"JAVA","opaque":N,"serializeTypeCurrentRPC":"JSON","version":V}
 * ```
 *
 * Budget per response: no allocation; about 330 bytes written one by one.
 */
export class SendResponseWriter {
  private readonly options: SendResponseOptions
  private readonly jsonMessageId: Buffer
  private readonly jsonRegion: Buffer
  private readonly binaryMessageId: Buffer
  private readonly binaryRegion: Buffer
  private readonly regionBytes: number

  constructor(options: SendResponseOptions) {
    this.options = options
    const { region, storeHost, traceOn } = options
    const messageIdStart = encodeOffsetMessageId(storeHost, 0).slice(0, -16)
    this.jsonMessageId = Buffer.from(`"msgId":"${messageIdStart}`)
    this.jsonRegion = Buffer.from(`","TRACE_ON":"${traceOn}","MSG_REGION":${JSON.stringify(region)},"queueOffset":"`)
    this.binaryMessageId = Buffer.concat([
      binaryText('msgId', 2),
      binaryText(`${messageIdStart}${'0'.repeat(16)}`, 4).subarray(0, -16),
    ])
    this.binaryRegion = Buffer.concat([
      ...(region === '' ? [] : [binaryText('MSG_REGION', 2), binaryText(region, 4)]),
      binaryText('TRACE_ON', 2),
      binaryText(String(traceOn), 4),
    ])
    this.regionBytes = Buffer.byteLength(JSON.stringify(region))
  }

  /** Room that {@link write} needs at most. `transactionId` is UNIQ_KEY, which its producer may have chosen freely. */
  maxBytes(transactionId: string | undefined): number {
    return FIXED_BYTES_MAX + this.regionBytes + (transactionId === undefined ? 0 : transactionId.length * 6)
  }

  /**
   * Writes the response frame at `at` and returns the offset after it. `code` is 0, or 10 to 12 for a message that is
   * stored but not yet as safe as asked. The caller has made sure of {@link maxBytes}.
   */
  write(
    target: Buffer,
    at: number,
    serializeType: SerializeType,
    opaque: number,
    code: number,
    queueId: number,
    queueOffset: number,
    physicalOffset: number,
    transactionId: string | undefined,
  ): number {
    const start = at + FRAME_PREFIX_BYTES
    const end =
      serializeType === serializeTypes.json
        ? this.writeJson(target, start, opaque, code, queueId, queueOffset, physicalOffset, transactionId)
        : this.writeBinary(target, start, opaque, code, queueId, queueOffset, physicalOffset, transactionId)
    if (end >= 0) {
      writeFramePrefix(target, at, serializeType, end - start, 0)
      return end
    }
    const frame = this.generic(serializeType, opaque, code, queueId, queueOffset, physicalOffset, transactionId)
    return at + frame.copy(target, at)
  }

  private writeJson(
    target: Buffer,
    start: number,
    opaque: number,
    code: number,
    queueId: number,
    queueOffset: number,
    physicalOffset: number,
    transactionId: string | undefined,
  ): number {
    let at = writeConstant(target, start, jsonCode)
    at = writeDecimal(target, at, code)
    at = writeConstant(target, at, jsonQueueId)
    at = writeDecimal(target, at, queueId)
    at = writeConstant(target, at, jsonComma)
    if (transactionId !== undefined) {
      at = writeConstant(target, at, jsonTransactionId)
      at = writePlainText(target, at, transactionId)
      if (at < 0) return -1
      at = writeConstant(target, at, jsonComma)
    }
    at = writeConstant(target, at, this.jsonMessageId)
    at = writeHex64(target, at, physicalOffset)
    at = writeConstant(target, at, this.jsonRegion)
    at = writeDecimal(target, at, queueOffset)
    at = writeConstant(target, at, jsonOpaque)
    at = writeDecimal(target, at, opaque)
    return writeConstant(target, at, jsonEnd)
  }

  private writeBinary(
    target: Buffer,
    start: number,
    opaque: number,
    code: number,
    queueId: number,
    queueOffset: number,
    physicalOffset: number,
    transactionId: string | undefined,
  ): number {
    let at = writeConstant(target, start, binaryHead)
    target.writeInt16BE(code, start)
    target.writeInt32BE(opaque, start + BINARY_OPAQUE)
    const extStart = at
    at = writeConstant(target, at, this.binaryMessageId)
    at = writeHex64(target, at, physicalOffset)
    at = writeConstant(target, at, binaryQueueId)
    at = writeDecimalText(target, at, queueId)
    at = writeConstant(target, at, binaryQueueOffset)
    at = writeDecimalText(target, at, queueOffset)
    if (transactionId !== undefined && transactionId !== '') {
      at = writeConstant(target, at, binaryTransactionId)
      const end = writePlainText(target, at + 4, transactionId)
      if (end < 0) return -1
      target.writeInt32BE(transactionId.length, at)
      at = end
    }
    at = writeConstant(target, at, this.binaryRegion)
    target.writeInt32BE(at - extStart, extStart - 4)
    return at
  }

  /** The same by the general codec, for a transaction id that needs escapes. */
  private generic(
    serializeType: SerializeType,
    opaque: number,
    code: number,
    queueId: number,
    queueOffset: number,
    physicalOffset: number,
    transactionId: string | undefined,
  ): Buffer {
    const extFields: ExtFields = {
      msgId: encodeOffsetMessageId(this.options.storeHost, physicalOffset),
      queueId: String(queueId),
      queueOffset: String(queueOffset),
      MSG_REGION: this.options.region,
      TRACE_ON: String(this.options.traceOn),
    }
    if (transactionId !== undefined) extFields.transactionId = transactionId
    const flag = commandFlag.response
    return encodeFrame(
      new RemotingCommand(code, 'JAVA', CURRENT_VERSION, opaque, flag, undefined, extFields, undefined, serializeType),
    )
  }
}

function writeDecimalText(target: Buffer, at: number, value: number): number {
  target.writeInt32BE(decimalLength(value), at)
  return writeDecimal(target, at + 4, value)
}

const jsonCode = Buffer.from('{"code":')
const jsonQueueId = Buffer.from(',"extFields":{"queueId":"')
const jsonComma = Buffer.from('",')
const jsonTransactionId = Buffer.from('"transactionId":"')
const jsonOpaque = Buffer.from('"},"flag":1,"language":"JAVA","opaque":')
const jsonEnd = Buffer.from(`,"serializeTypeCurrentRPC":"JSON","version":${CURRENT_VERSION}}`)

/** `[code][language][version][opaque][flag][remark length][ext length]`, code, opaque and ext length left open. */
const binaryHead = Buffer.from([
  0,
  0,
  0,
  CURRENT_VERSION >> 8,
  CURRENT_VERSION & 255,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  1,
  ...Array(8).fill(0),
])
const binaryQueueId = binaryText('queueId', 2)
const binaryQueueOffset = binaryText('queueOffset', 2)
const binaryTransactionId = binaryText('transactionId', 2)
