import { decodeStoredMessage, encodeStoredMessage, magicV1, magicV2, recordLayout, splitInnerBatch, sysFlag } from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { PulledBatch, ReceivedMessage, RecordPlace } from './received-message.ts'

/** Which class the views of one pull are made of. */
export type MessageClass<M extends ReceivedMessage> = new (batch: PulledBatch, buffer: Buffer, place: RecordPlace) => M

const innerBatchFlags = sysFlag.needUnwrap | sysFlag.innerBatch

/**
 * Views of all records in the body of a pull's answer, inner batches unwrapped. The body must not be changed afterwards.
 * Budget per message: one object, no bytes copied. Throws `BODY_INVALID` when the body is no sequence of whole records.
 */
export function decodeMessages<M extends ReceivedMessage>(
  body: Buffer,
  batch: PulledBatch,
  messageClass: MessageClass<M>,
): M[] {
  const messages: M[] = []
  const place = emptyPlace()
  let at = 0
  while (at < body.length) {
    const size = readPlace(body, at, place)
    const message = new messageClass(batch, body, place)
    if ((place.sysFlag & innerBatchFlags) === innerBatchFlags) {
      for (const inner of unwrapInnerBatch(message, body, at, size)) {
        readPlace(inner, 0, place)
        messages.push(new messageClass(batch, inner, place))
      }
    } else {
      messages.push(message)
    }
    at += size
  }
  return messages
}

function emptyPlace(): RecordPlace {
  return {
    queueOffset: 0,
    physicalOffset: 0,
    sysFlag: 0,
    flag: 0,
    bornTimestamp: 0,
    storeTimestamp: 0,
    reconsumeTimes: 0,
    hostsAt: 0,
    bodyAt: 0,
    bodyLength: 0,
    topicAt: 0,
    topicLength: 0,
    propertiesAt: 0,
    propertiesLength: 0,
  }
}

/** Reads the numbers of the record at `start` into `place`; returns its size. Each length is checked before it is used. */
function readPlace(buffer: Buffer, start: number, place: RecordPlace): number {
  const left = buffer.length - start
  if (left < recordLayout.bornHost + 8) throw invalid(start, `only ${left} bytes left`)
  const size = buffer.readInt32BE(start)
  if (size < recordLayout.bornHost + 8 || size > left)
    throw invalid(start, `its size ${size} is not within the ${left} left`)
  const end = start + size
  const magic = buffer.readInt32BE(start + recordLayout.magic)
  if (magic !== magicV1 && magic !== magicV2) throw invalid(start, `unknown magic ${magic}`)
  const flags = buffer.readInt32BE(start + recordLayout.sysFlag)
  place.sysFlag = flags
  place.flag = buffer.readInt32BE(start + recordLayout.flag)
  place.queueOffset = readInt64(buffer, start + recordLayout.queueOffset)
  place.physicalOffset = readInt64(buffer, start + recordLayout.physicalOffset)
  place.bornTimestamp = readInt64(buffer, start + recordLayout.bornTimestamp)
  place.hostsAt = start + recordLayout.bornHost
  const storeTimestampAt = place.hostsAt + ((flags & sysFlag.bornHostV6) === 0 ? 8 : 20)
  const afterHosts = storeTimestampAt + 8 + ((flags & sysFlag.storeHostV6) === 0 ? 8 : 20)
  // reconsume times 4, prepared transaction offset 8, body length 4
  place.bodyAt = afterHosts + 16
  if (place.bodyAt > end) throw invalid(start, 'it ends inside its fixed part')
  place.storeTimestamp = readInt64(buffer, storeTimestampAt)
  place.reconsumeTimes = buffer.readInt32BE(afterHosts)
  place.bodyLength = buffer.readInt32BE(afterHosts + 12)
  const topicLengthAt = place.bodyAt + place.bodyLength
  const topicLengthSize = magic === magicV1 ? 1 : 2
  if (place.bodyLength < 0 || topicLengthAt + topicLengthSize > end)
    throw invalid(start, `body length ${place.bodyLength}`)
  place.topicLength = magic === magicV1 ? buffer[topicLengthAt]! : buffer.readUInt16BE(topicLengthAt)
  place.topicAt = topicLengthAt + topicLengthSize
  const propertiesLengthAt = place.topicAt + place.topicLength
  if (propertiesLengthAt + 2 > end) throw invalid(start, `topic length ${place.topicLength}`)
  place.propertiesLength = buffer.readUInt16BE(propertiesLengthAt)
  place.propertiesAt = propertiesLengthAt + 2
  if (place.propertiesAt + place.propertiesLength > end)
    throw invalid(start, `properties length ${place.propertiesLength}`)
  return size
}

function readInt64(buffer: Buffer, at: number): number {
  return buffer.readInt32BE(at) * 4294967296 + buffer.readUInt32BE(at + 4)
}

function invalid(at: number, what: string): RocketMqError {
  return new RocketMqError('BODY_INVALID', `record at byte ${at} of a pull's answer: ${what}`, { details: { at } })
}

/** The entries of an inner batch as records of their own, whose bodies are not compressed any more. */
function unwrapInnerBatch(outer: ReceivedMessage, buffer: Buffer, at: number, size: number): Buffer[] {
  const record = decodeStoredMessage(buffer.subarray(at, at + size), 0)
  return splitInnerBatch(record, outer.body).map(entry =>
    encodeStoredMessage({ ...entry, sysFlag: entry.sysFlag & ~(sysFlag.compressed | sysFlag.needUnwrap) }),
  )
}
