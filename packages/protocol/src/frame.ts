import { RocketMqError } from '@rocketmq-ts/runtime'
import { type RemotingCommand, serializeTypes } from './command.ts'
import { binaryHeaderLength, decodeBinaryHeader, fitsBinaryHeader, writeBinaryHeader } from './header-binary.ts'
import { decodeJsonHeader, encodeJsonHeader } from './header-json.ts'

/**
 * ```text
 * [length:4][serializeType:1][headerLength:3][header][body]      length counts everything after itself
 * ```
 */
export const FRAME_LIMIT_BYTES = 16_777_216

/** Bytes before the header. */
export const FRAME_PREFIX_BYTES = 8

/**
 * The whole frame in one buffer. JSON or ROCKETMQ as `command.serializeType` says; a code that needs more than 16 bits
 * goes as JSON in any case. Throws `FRAME_TOO_LARGE`.
 */
export function encodeFrame(command: RemotingCommand): Buffer {
  const body = command.body
  if (body === undefined || body.length === 0) return encodeHead(command, 0, 0)
  const frame = encodeHead(command, body.length, body.length)
  body.copy(frame, frame.length - body.length)
  return frame
}

/**
 * The frame up to its body, whose parts follow on the wire without having been copied. `bodyLength` in bytes.
 * Throws `FRAME_TOO_LARGE`.
 */
export function encodeFrameHead(command: RemotingCommand, bodyLength: number): Buffer {
  return encodeHead(command, bodyLength, 0)
}

function encodeHead(command: RemotingCommand, bodyLength: number, reservedBytes: number): Buffer {
  if (command.serializeType === serializeTypes.rocketmq && fitsBinaryHeader(command.code)) {
    const headerLength = binaryHeaderLength(command)
    const frame = allocateFrame(serializeTypes.rocketmq, headerLength, bodyLength, reservedBytes)
    writeBinaryHeader(command, frame, FRAME_PREFIX_BYTES)
    return frame
  }
  const header = encodeJsonHeader(command)
  const headerLength = Buffer.byteLength(header)
  const frame = allocateFrame(serializeTypes.json, headerLength, bodyLength, reservedBytes)
  frame.write(header, FRAME_PREFIX_BYTES, headerLength, 'utf8')
  return frame
}

function allocateFrame(type: number, headerLength: number, bodyLength: number, reservedBytes: number): Buffer {
  const length = FRAME_PREFIX_BYTES + headerLength + bodyLength
  if (length > FRAME_LIMIT_BYTES) {
    throw new RocketMqError('FRAME_TOO_LARGE', `a frame of ${length} bytes is larger than ${FRAME_LIMIT_BYTES}`)
  }
  const frame = Buffer.allocUnsafe(FRAME_PREFIX_BYTES + headerLength + reservedBytes)
  writeFramePrefix(frame, 0, type, headerLength, bodyLength)
  return frame
}

/** Writes the eight bytes before the header. `headerLength` is below 2^24. */
export function writeFramePrefix(
  target: Buffer,
  at: number,
  serializeType: number,
  headerLength: number,
  bodyLength: number,
): void {
  const length = 4 + headerLength + bodyLength
  target[at] = length >>> 24
  target[at + 1] = length >>> 16
  target[at + 2] = length >>> 8
  target[at + 3] = length
  target[at + 4] = serializeType
  target[at + 5] = headerLength >>> 16
  target[at + 6] = headerLength >>> 8
  target[at + 7] = headerLength
}

/**
 * Reads one frame of which the length field has been taken off: `source[start, end)` begins with the serialize type.
 * The body is a view of `source`. Throws `FRAME_INVALID` when the parts don't fit, `HEADER_INVALID` when the header can't
 * be read; after either the connection is worth closing, because nobody knows which request to answer.
 */
export function decodeFrame(source: Buffer, start: number, end: number): RemotingCommand {
  if (end - start < 4) throw new RocketMqError('FRAME_INVALID', `a frame of ${end - start} bytes is too short`)
  const headerStart = start + 4
  const headerLength = (source[start + 1]! << 16) | (source[start + 2]! << 8) | source[start + 3]!
  const headerEnd = headerStart + headerLength
  if (headerEnd > end) {
    throw new RocketMqError('FRAME_INVALID', `a header of ${headerLength} bytes in a frame of ${end - start}`)
  }
  const command = decodeHeaderOf(source[start]!, source, headerStart, headerEnd)
  if (headerEnd < end) command.body = source.subarray(headerEnd, end)
  return command
}

function decodeHeaderOf(serializeType: number, source: Buffer, start: number, end: number): RemotingCommand {
  if (serializeType === serializeTypes.json) return decodeJsonHeader(source, start, end)
  if (serializeType === serializeTypes.rocketmq) return decodeBinaryHeader(source, start, end)
  throw new RocketMqError('FRAME_INVALID', `serialize type ${serializeType} is neither JSON nor ROCKETMQ`)
}
