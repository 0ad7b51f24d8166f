import { SegmentedLog, type SegmentedLogContext } from '../segment/segmented-log.ts'

/**
 * Consume queue of a topic with `queue.type=BatchCQ`: an entry per stored record, which may hold many messages. Big-endian, 46 bytes:
 *
 *   [i64 physical offset][i32 size][i64 tags code][i64 store timestamp][i64 base offset][i16 messages][i32 −1][i32 0]
 *
 * Queue offsets count messages, so an entry is found by searching, not by position.
 * Source: BatchConsumeQueue, 5.3.x.
 */
export const BATCH_ENTRY_BYTES = 46
const TWO_32 = 4294967296

export interface BatchEntry {
  readonly physicalOffset: number
  readonly size: number
  readonly tagsHigh: number
  readonly tagsLow: number
  readonly storeTimestamp: number
  readonly baseOffset: number
  readonly count: number
}

export class BatchConsumeQueue {
  readonly topic: string
  readonly queueId: number
  readonly log: SegmentedLog
  minOffset = 0
  /** What the next message gets. */
  nextOffset = 0
  visibleOffset = 0
  /** Entries, numbered over all files ever; the first kept one is at the log's start. */
  #entryCount = 0
  /** Start of the last dispatched record (not its end, as in ordinary queues). */
  maxPhysicalOffset = -1
  /** Entries of records that aren't known to be written yet. */
  #pending: Buffer[] = []
  #settledOffset = 0
  #settledPhysicalOffset = -1

  constructor(context: SegmentedLogContext, directory: string, topic: string, queueId: number, fileSizeBytes: number) {
    this.topic = topic
    this.queueId = queueId
    this.log = new SegmentedLog(context, directory, fileSizeBytes - (fileSizeBytes % BATCH_ENTRY_BYTES))
  }

  get maxOffset(): number {
    return this.visibleOffset
  }

  /** Adds the entry of a record whose first message has `nextOffset`. It reaches the file when it is settled. */
  push(physicalOffset: number, size: number, tags: number, storeTimestamp: number, count: number): void {
    const entry = Buffer.alloc(BATCH_ENTRY_BYTES)
    entry.writeInt32BE(Math.floor(physicalOffset / TWO_32), 0)
    entry.writeInt32BE(physicalOffset | 0, 4)
    entry.writeInt32BE(size, 8)
    entry.writeInt32BE(tags >> 31, 12)
    entry.writeInt32BE(tags, 16)
    entry.writeBigInt64BE(BigInt(storeTimestamp), 20)
    entry.writeBigInt64BE(BigInt(this.nextOffset), 28)
    entry.writeInt16BE(count, 36)
    entry.writeInt32BE(-1, 38)
    this.#pending.push(entry)
    this.nextOffset += count
    this.maxPhysicalOffset = physicalOffset
  }

  /** As `push` from a record of the log; does nothing when the entry is there already. */
  dispatch(
    physicalOffset: number,
    size: number,
    tags: number,
    storeTimestamp: number,
    queueOffset: number,
    count: number,
  ): void {
    if (physicalOffset <= this.maxPhysicalOffset || queueOffset < this.nextOffset) return
    if (this.#entryCount === 0 && this.#pending.length === 0) this.minOffset = queueOffset
    this.nextOffset = queueOffset
    this.push(physicalOffset, size, tags, storeTimestamp, Number.isSafeInteger(count) && count > 0 ? count : 1)
  }

  /** The records are written: their entries go to the file. Throws `DISK_FULL` or `DISK_FAILED`; then they go with the next ones. */
  settle(): void {
    this.#settledOffset = this.nextOffset
    this.#settledPhysicalOffset = this.maxPhysicalOffset
    while (this.#pending.length > 0) {
      this.log.writeSync(this.#pending[0]!, 0, BATCH_ENTRY_BYTES, this.#entryCount * BATCH_ENTRY_BYTES)
      this.#pending.shift()
      this.#entryCount++
    }
  }

  rollBack(): void {
    this.#pending = this.#pending.filter(entry => Number(entry.readBigInt64BE(28)) < this.#settledOffset)
    this.nextOffset = this.#settledOffset
    this.maxPhysicalOffset = this.#settledPhysicalOffset
  }

  /** Loads the files and finds the end: the first entry without size. */
  recover(): void {
    this.log.load()
    this.#entryCount = this.log.startOffset / BATCH_ENTRY_BYTES
    const block = Buffer.allocUnsafe(BATCH_ENTRY_BYTES * 100)
    scan: for (;;) {
      const position = this.#entryCount * BATCH_ENTRY_BYTES
      const got = this.log.readSync(block, 0, block.length, position)
      const entries = Math.floor(got / BATCH_ENTRY_BYTES)
      for (let i = 0; i < entries; i++) {
        if (!isValidEntry(block, i * BATCH_ENTRY_BYTES)) break scan
        this.#entryCount++
      }
      if (entries < 100) break
    }
    this.#adoptEnd()
  }

  /** Drops the entries of records at or behind `endOffset` of the log. */
  truncate(endOffset: number): void {
    if (this.maxPhysicalOffset < endOffset) return
    const first = this.log.startOffset / BATCH_ENTRY_BYTES
    while (this.#entryCount > first && this.entryAt(this.#entryCount - 1)!.physicalOffset >= endOffset) {
      this.#entryCount--
    }
    this.log.truncate(this.#entryCount * BATCH_ENTRY_BYTES)
    this.#adoptEnd()
  }

  /** Sets the minimum to the first message of the first record at or behind `minPhysicalOffset`. */
  correctMinOffset(minPhysicalOffset: number): void {
    const index = this.#firstEntryWhere(entry => entry.physicalOffset >= minPhysicalOffset)
    const entry = this.entryAt(index)
    this.minOffset = entry === undefined ? this.nextOffset : entry.baseOffset
  }

  /** Number of the entry that holds message `queueOffset`, or −1. */
  entryIndexOf(queueOffset: number): number {
    const index = this.#firstEntryWhere(entry => entry.baseOffset + entry.count > queueOffset)
    const entry = this.entryAt(index)
    return entry !== undefined && entry.baseOffset <= queueOffset ? index : -1
  }

  /**
   * Base offset of the first record stored at `timestamp` or later; of the last record when all are earlier. The kind of boundary
   * makes no difference here. Source: BatchConsumeQueue#getOffsetInQueueByTime, 5.3.x.
   */
  offsetByTime(timestamp: number): number {
    const index = this.#firstEntryWhere(entry => entry.storeTimestamp >= timestamp)
    const entry = this.entryAt(Math.min(index, this.#entryCount - 1))
    return Math.max(this.minOffset, entry?.baseOffset ?? 0)
  }

  entryAt(index: number): BatchEntry | undefined {
    if (index < this.log.startOffset / BATCH_ENTRY_BYTES || index >= this.#entryCount) return undefined
    const bytes = Buffer.allocUnsafe(BATCH_ENTRY_BYTES)
    if (this.log.readSync(bytes, 0, bytes.length, index * BATCH_ENTRY_BYTES) < bytes.length) return undefined
    return {
      physicalOffset: Number(bytes.readBigInt64BE(0)),
      size: bytes.readInt32BE(8),
      tagsHigh: bytes.readInt32BE(12),
      tagsLow: bytes.readInt32BE(16),
      storeTimestamp: Number(bytes.readBigInt64BE(20)),
      baseOffset: Number(bytes.readBigInt64BE(28)),
      count: bytes.readInt16BE(36),
    }
  }

  /** Entries kept: their numbers run from the first result to before the second. */
  entryRange(): readonly [number, number] {
    return [this.log.startOffset / BATCH_ENTRY_BYTES, this.#entryCount]
  }

  #firstEntryWhere(holds: (entry: BatchEntry) => boolean): number {
    let [low, high] = this.entryRange()
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (holds(this.entryAt(middle)!)) high = middle
      else low = middle + 1
    }
    return low
  }

  #adoptEnd(): void {
    const last = this.entryAt(this.#entryCount - 1)
    const first = this.entryAt(this.log.startOffset / BATCH_ENTRY_BYTES)
    this.nextOffset = last === undefined ? 0 : last.baseOffset + last.count
    this.maxPhysicalOffset = last === undefined ? -1 : last.physicalOffset
    this.minOffset = first === undefined ? 0 : first.baseOffset
    this.visibleOffset = this.nextOffset
    this.#settledOffset = this.nextOffset
    this.#settledPhysicalOffset = this.maxPhysicalOffset
    this.#pending = []
  }
}

function isValidEntry(bytes: Buffer, at: number): boolean {
  return bytes.readInt32BE(at) >= 0 && bytes.readInt32BE(at + 8) > 0 && bytes.readInt16BE(at + 36) > 0
}
