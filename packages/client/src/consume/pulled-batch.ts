import {
  decodeStoredMessage,
  encodeStoredMessage,
  type MessageQueue,
  magicV1,
  magicV2,
  readInt32,
  readInt64,
  recordLayout,
  splitInnerBatch,
  sysFlag,
} from '@rocketmq-ts/model/internal'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { decompressBody } from '../compression/compression.ts'

/** What is known of a pull beside its bytes. */
export interface PulledFrom {
  /** Topic as on the wire. */
  readonly queue: MessageQueue
  /** Topic for the user, without namespace. */
  readonly topic: string
  /** Namespace to take off the topics inside retried messages; empty for none. */
  readonly namespace: string
  /** Bounds of the queue when the pull was answered; `maxOffset` is one above the newest message. */
  readonly minOffset: number
  readonly maxOffset: number
  /** Added to each queue offset: for queues of static topics that moved from broker to broker. */
  readonly offsetDelta: number
}

const innerBatchFlags = sysFlag.needUnwrap | sysFlag.innerBatch
const noBytes = Buffer.alloc(0)

/**
 * The records of one pull, as they came. A message is made of a record only when it is handed to the user, so that what
 * waits in memory is bytes and a few numbers, not objects for the garbage collector.
 */
export class PulledBatch {
  readonly from: PulledFrom
  /** Records one after the other. Empty once all are finished. */
  body: Buffer
  /** Where each record begins, ascending by queue offset. */
  starts: number[]
  /** 1 for each record that is finished. */
  finished: Uint8Array
  /** Records that are not finished. */
  unfinished: number
  /** The first unfinished record; `starts.length` when there is none. */
  firstUnfinished = 0
  /** True while a process queue holds the batch. */
  isHeld = false
  /** Bytes that the batch keeps in memory until all its records are finished. */
  readonly bytes: number

  private constructor(from: PulledFrom, body: Buffer, starts: number[]) {
    this.from = from
    this.body = body
    this.starts = starts
    this.finished = new Uint8Array(starts.length)
    this.unfinished = starts.length
    this.bytes = body.length
  }

  /**
   * Finds the records in the body of a pull's answer and checks their lengths; inner batches are unwrapped. The body must
   * not be changed afterwards. Throws `BODY_INVALID` when it is no sequence of whole records, and `DECOMPRESS_FAILED` for an
   * inner batch that can't be read.
   */
  static decode(from: PulledFrom, body: Buffer): PulledBatch {
    const starts: number[] = []
    let hasInnerBatch = false
    for (let at = 0; at < body.length; at += checkedRecordSize(body, at)) {
      starts.push(at)
      const flags = readInt32(body, at + recordLayout.sysFlag)
      if ((flags & innerBatchFlags) === innerBatchFlags) hasInnerBatch = true
    }
    return hasInnerBatch ? PulledBatch.decode(from, unwrapped(body, starts)) : new PulledBatch(from, body, starts)
  }

  get count(): number {
    return this.starts.length
  }

  /** Queue offset of a record. */
  offsetAt(index: number): number {
    return readInt64(this.body, this.starts[index]! + recordLayout.queueOffset) + this.from.offsetDelta
  }

  /** Leaves out records that `isWanted` refuses. Only before the batch is put into a process queue. */
  keep(isWanted: (index: number) => boolean): void {
    const kept: number[] = []
    for (let i = 0; i < this.starts.length; i++) if (isWanted(i)) kept.push(this.starts[i]!)
    if (kept.length === this.starts.length) return
    this.starts = kept
    this.finished = new Uint8Array(kept.length)
    this.unfinished = kept.length
  }

  /** Marks a record; false when it was marked before. */
  finish(index: number): boolean {
    if (this.finished[index] !== 0) return false
    this.finished[index] = 1
    this.unfinished--
    while (this.firstUnfinished < this.finished.length && this.finished[this.firstUnfinished] === 1) {
      this.firstUnfinished++
    }
    return true
  }

  /** Lets the bytes go: all records are finished, or nobody wants them any more. Messages keep what they were made of. */
  release(): void {
    this.isHeld = false
    this.body = noBytes
  }
}

/** Size of the record at `start`, after each of its lengths was found to fit. */
function checkedRecordSize(buffer: Buffer, start: number): number {
  const left = buffer.length - start
  const size = left < recordLayout.bornHost ? 0 : readInt32(buffer, start)
  if (size < recordLayout.bornHost || size > left)
    throw invalid(start, `its size ${size} is not within the ${left} left`)
  const end = start + size
  const magic = readInt32(buffer, start + recordLayout.magic)
  if (magic !== magicV1 && magic !== magicV2) throw invalid(start, `unknown magic ${magic}`)
  const bodyAt = bodyPosition(buffer, start)
  if (bodyAt > end) throw invalid(start, 'it ends inside its fixed part')
  const bodyLength = readInt32(buffer, bodyAt - 4)
  const topicLengthSize = magic === magicV1 ? 1 : 2
  const topicAt = bodyAt + bodyLength + topicLengthSize
  if (bodyLength < 0 || topicAt > end) throw invalid(start, `body length ${bodyLength}`)
  const topicLength = magic === magicV1 ? buffer[topicAt - 1]! : buffer.readUInt16BE(topicAt - 2)
  const propertiesAt = topicAt + topicLength + 2
  if (propertiesAt > end) throw invalid(start, `topic length ${topicLength}`)
  const propertiesLength = buffer.readUInt16BE(propertiesAt - 2)
  if (propertiesAt + propertiesLength > end) throw invalid(start, `properties length ${propertiesLength}`)
  return size
}

/** Where the body of the record at `start` begins; its length stands in the four bytes before. */
export function bodyPosition(buffer: Buffer, start: number): number {
  const flags = readInt32(buffer, start + recordLayout.sysFlag)
  const bornHost = (flags & sysFlag.bornHostV6) === 0 ? 8 : 20
  const storeHost = (flags & sysFlag.storeHostV6) === 0 ? 8 : 20
  // Between the hosts the store timestamp; behind them reconsume times, prepared transaction offset and body length.
  return start + recordLayout.bornHost + bornHost + 8 + storeHost + 16
}

/** The same records with each inner batch replaced by what it holds. Source: MessageDecoder#decodeMessage, 5.3.x */
function unwrapped(body: Buffer, starts: readonly number[]): Buffer {
  const parts: Buffer[] = []
  for (const [i, start] of starts.entries()) {
    const bytes = body.subarray(start, starts[i + 1] ?? body.length)
    const record = decodeStoredMessage(bytes, 0)
    if ((record.sysFlag & innerBatchFlags) !== innerBatchFlags) {
      parts.push(bytes)
      continue
    }
    for (const entry of splitInnerBatch(record, decompressBody(record.body, record.sysFlag))) {
      // Neither compressed nor a batch any more.
      const flags = entry.sysFlag & ~(sysFlag.compressed | sysFlag.needUnwrap)
      parts.push(encodeStoredMessage({ ...entry, sysFlag: flags }))
    }
  }
  return Buffer.concat(parts)
}

function invalid(at: number, what: string): RocketMqError {
  return new RocketMqError('BODY_INVALID', `record at byte ${at} of a pull's answer: ${what}`, { details: { at } })
}
