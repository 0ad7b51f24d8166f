import { pullMessage } from '../apis/pull-message.ts'
import { type RemotingCommand, type SerializeType, serializeTypes } from '../command.ts'
import { decodeHeader } from '../define.ts'
import { FRAME_PREFIX_BYTES, writeFramePrefix } from '../frame.ts'
import { CURRENT_VERSION } from '../mq-version.ts'
import { fieldCursor } from './field-cursor.ts'
import { binaryText, decimalLength, writeConstant, writeDecimal, writePlainText } from './write-bytes.ts'

/** What the head of a pull response says; make one object and refill it. Source: PullMessageResponseHeader, 5.3.x. */
export interface PullResponseHead {
  serializeType: SerializeType
  opaque: number
  code: number
  /** Name of the store's status: plain ASCII, at most 64 characters. */
  remark: string
  suggestWhichBrokerId: number
  nextBeginOffset: number
  minOffset: number
  maxOffset: number
  topicSysFlag: number
  groupSysFlag: number
}

/** Room that {@link writePullResponseHead} needs at most. */
export const PULL_RESPONSE_HEAD_MAX_BYTES = 512

/**
 * Writes a pull response up to its body of `bodyLength` bytes, at `at`, and returns the offset after it. Answers with other
 * fields (forbidden, static topics, errors) go through the general codec. Budget: no allocation.
 */
export function writePullResponseHead(target: Buffer, at: number, head: PullResponseHead, bodyLength: number): number {
  const start = at + FRAME_PREFIX_BYTES
  const end =
    head.serializeType === serializeTypes.json ? writeJson(target, start, head) : writeBinary(target, start, head)
  writeFramePrefix(target, at, head.serializeType, end - start, bodyLength)
  return end
}

function writeJson(target: Buffer, start: number, head: PullResponseHead): number {
  let at = writeDecimal(target, writeConstant(target, start, jsonCode), head.code)
  at = writeDecimal(target, writeConstant(target, at, jsonSuggest), head.suggestWhichBrokerId)
  at = writeDecimal(target, writeConstant(target, at, jsonGroupSysFlag), head.groupSysFlag)
  at = writeDecimal(target, writeConstant(target, at, jsonNextBeginOffset), head.nextBeginOffset)
  at = writeDecimal(target, writeConstant(target, at, jsonMaxOffset), head.maxOffset)
  at = writeDecimal(target, writeConstant(target, at, jsonMinOffset), head.minOffset)
  at = writeDecimal(target, writeConstant(target, at, jsonTopicSysFlag), head.topicSysFlag)
  at = writeDecimal(target, writeConstant(target, at, jsonOpaque), head.opaque)
  at = writePlainText(target, writeConstant(target, at, jsonRemark), head.remark)
  return writeConstant(target, at, jsonEnd)
}

function writeBinary(target: Buffer, start: number, head: PullResponseHead): number {
  let at = start
  at = target.writeInt16BE(head.code, at)
  at = writeConstant(target, at, binaryVersion)
  at = target.writeInt32BE(head.opaque, at)
  at = target.writeInt32BE(1, at)
  at = target.writeInt32BE(head.remark.length, at)
  at = writePlainText(target, at, head.remark)
  const extStart = at + 4
  at = writeField(target, extStart, binarySuggest, head.suggestWhichBrokerId)
  at = writeField(target, at, binaryNextBeginOffset, head.nextBeginOffset)
  at = writeField(target, at, binaryMinOffset, head.minOffset)
  at = writeField(target, at, binaryMaxOffset, head.maxOffset)
  at = writeField(target, at, binaryTopicSysFlag, head.topicSysFlag)
  at = writeField(target, at, binaryGroupSysFlag, head.groupSysFlag)
  target.writeInt32BE(at - extStart, extStart - 4)
  return at
}

function writeField(target: Buffer, start: number, name: Buffer, value: number): number {
  const at = writeConstant(target, start, name)
  target.writeInt32BE(decimalLength(value), at)
  return writeDecimal(target, at + 4, value)
}

const jsonCode = Buffer.from('{"code":')
const jsonSuggest = Buffer.from(',"extFields":{"suggestWhichBrokerId":"')
const jsonGroupSysFlag = Buffer.from('","groupSysFlag":"')
const jsonNextBeginOffset = Buffer.from('","nextBeginOffset":"')
const jsonMaxOffset = Buffer.from('","maxOffset":"')
const jsonMinOffset = Buffer.from('","minOffset":"')
const jsonTopicSysFlag = Buffer.from('","topicSysFlag":"')
const jsonOpaque = Buffer.from('"},"flag":1,"language":"JAVA","opaque":')
const jsonRemark = Buffer.from(',"remark":"')
const jsonEnd = Buffer.from(`","serializeTypeCurrentRPC":"JSON","version":${CURRENT_VERSION}}`)

const binaryVersion = Buffer.from([0, CURRENT_VERSION >> 8, CURRENT_VERSION & 255])
const binarySuggest = binaryText('suggestWhichBrokerId', 2)
const binaryNextBeginOffset = binaryText('nextBeginOffset', 2)
const binaryMinOffset = binaryText('minOffset', 2)
const binaryMaxOffset = binaryText('maxOffset', 2)
const binaryTopicSysFlag = binaryText('topicSysFlag', 2)
const binaryGroupSysFlag = binaryText('groupSysFlag', 2)

/** What a consumer reads from a pull response of code 0, 19, 20 or 21. */
export interface PullResponseHeader {
  suggestWhichBrokerId: number
  nextBeginOffset: number
  minOffset: number
  maxOffset: number
  /** To be added to the queue offset of every message: static topics only. */
  offsetDelta: number | undefined
  topicSysFlag: number | undefined
  groupSysFlag: number | undefined
  forbiddenType: number | undefined
}

/** Throws `HEADER_INVALID` naming the field. */
export function decodePullResponse(command: RemotingCommand): PullResponseHeader {
  return scanPullResponse(command) ?? decodeHeader(pullMessage.response, command.extFields)
}

function scanPullResponse(command: RemotingCommand): PullResponseHeader | undefined {
  const cursor = fieldCursor
  if (!cursor.open(command)) return undefined
  let suggestWhichBrokerId = 0
  let nextBeginOffset = 0
  let minOffset = 0
  let maxOffset = 0
  let topicSysFlag: number | undefined
  let groupSysFlag: number | undefined
  let seen = 0
  while (cursor.next()) {
    if (cursor.isNamed('suggestWhichBrokerId')) {
      suggestWhichBrokerId = cursor.int64()
      seen |= 1
    } else if (cursor.isNamed('nextBeginOffset')) {
      nextBeginOffset = cursor.int64()
      seen |= 2
    } else if (cursor.isNamed('minOffset')) {
      minOffset = cursor.int64()
      seen |= 4
    } else if (cursor.isNamed('maxOffset')) {
      maxOffset = cursor.int64()
      seen |= 8
    } else if (cursor.isNamed('topicSysFlag')) topicSysFlag = cursor.int32()
    else if (cursor.isNamed('groupSysFlag')) groupSysFlag = cursor.int32()
    else if (cursor.isNamed('offsetDelta') || cursor.isNamed('forbiddenType')) return undefined
  }
  if (cursor.failed || seen !== 15) return undefined
  return {
    suggestWhichBrokerId,
    nextBeginOffset,
    minOffset,
    maxOffset,
    offsetDelta: undefined,
    topicSysFlag,
    groupSysFlag,
    forbiddenType: undefined,
  }
}
