import { crc32 } from '@rocketmq-ts/model'
import type { Disk, DiskFile } from '@rocketmq-ts/runtime'

/**
 * The file `checkpoint`, 4096 bytes:
 *
 * | at | bytes | field |
 * |---:|---:|---|
 * | 0 | 8 | physicMsgTimestamp: store time of the last record known flushed |
 * | 8 | 8 | logicsMsgTimestamp: every record stored before it is in the files of its consume queues |
 * | 16 | 8 | indexMsgTimestamp: end time of the last index file that is full and flushed |
 * | 24 | 8 | masterFlushedOffset |
 * | 32 | 8 | confirmPhyOffset |
 * | 64 | 132 | our resume point, which Java neither reads nor changes |
 *
 * Java finds the file to recover from by the timestamps. The resume point is finer: offsets instead of times, of which it says
 * whether they hold after a kill (same page cache) or also after power loss. It counts only as long as the timestamps beside it
 * are those with which it was written: a Java broker that ran meanwhile has changed them. Both lie in one sector, so a power loss
 * can't tear them apart.
 *
 * | at | bytes | field |
 * |---:|---:|---|
 * | 64 | 8 | `RMQTSRP2` |
 * | 72 | 16 | copies of physicMsgTimestamp and logicsMsgTimestamp |
 * | 88 | 16 | position that holds while the page cache lives: offset, scan offset |
 * | 104 | 16 | position that also holds after power loss |
 * | 120 | 8 | indexSlotsOffset: the slots of all index files surely know the records before it |
 * | 128 | 8 | durableFingerprint: of all consume queues at the durable position; −1 unknown |
 * | 136 | 8 | queueFileCount: files of all consume queues |
 * | 144 | 8 | queueEntryCount: entries in them, counted by their numbers |
 * | 152 | 40 | boot id, zero padded |
 * | 192 | 4 | CRC-32 of 64..191 |
 *
 * Source: StoreCheckpoint, 5.3.x.
 */
export interface ResumePoint {
  readonly written: ResumePosition
  readonly durable: ResumePosition
  /** Index entries of records before it are known to the slots on disk. */
  readonly indexSlotsOffset: number
  /** Of all queues' ends and files at the durable position, which shows whether any of them lost something; −1 unknown. */
  readonly durableFingerprint: number
  /** Files of all consume queues, and the sum of their ends, when this was written: less means that somebody removed some. */
  readonly queueFileCount: number
  readonly queueEntryCount: number
  readonly bootId: string
}

/** Where a recovery may begin. */
export interface ResumePosition {
  /** Every record before it is in the log and in the files of its consume queues and of the key index. */
  readonly offset: number
  /** Start of a record at or before `offset`; reading from there shows whether the log is still the same. */
  readonly scanOffset: number
}

const FILE_BYTES = 4096
const RESUME_AT = 64
const RESUME_BYTES = 128
const MAGIC = 'RMQTSRP2'
/** A recovery by timestamps begins so much earlier. */
const MARGIN_MS = 3000

export class Checkpoint {
  readonly path: string
  readonly #disk: Disk
  #file: DiskFile | undefined
  /** What the file holds, when we have written it. */
  #saved: Buffer | undefined
  physicMsgTimestamp = 0
  logicsMsgTimestamp = 0
  indexMsgTimestamp = 0
  masterFlushedOffset = 0
  confirmPhyOffset = 0
  /** As loaded; undefined when there is none or a Java broker ran since. */
  resumePoint: ResumePoint | undefined

  constructor(disk: Disk, path: string) {
    this.#disk = disk
    this.path = path
  }

  /** An absent or short file counts as zeros. */
  load(): void {
    const content = this.#disk.readFile(this.path)
    if (content === undefined || content.length < 40) return
    this.physicMsgTimestamp = readTime(content, 0)
    this.logicsMsgTimestamp = readTime(content, 8)
    this.indexMsgTimestamp = readTime(content, 16)
    this.masterFlushedOffset = readTime(content, 24)
    this.confirmPhyOffset = readTime(content, 32)
    this.resumePoint = this.#decodeResumePoint(content)
  }

  /** The time from which on a record may be missing in the consume queues. */
  get minTimestamp(): number {
    return Math.max(0, Math.min(this.physicMsgTimestamp, this.logicsMsgTimestamp) - MARGIN_MS)
  }

  /** The same for the key index. */
  get minTimestampIndex(): number {
    return Math.min(this.minTimestamp, this.indexMsgTimestamp)
  }

  /** Writes all fields and `resumePoint` in place, when anything has changed. Throws `DISK_FULL` or `DISK_FAILED`. */
  save(resumePoint: ResumePoint): void {
    this.resumePoint = resumePoint
    const content = Buffer.alloc(RESUME_AT + RESUME_BYTES + 4)
    content.writeBigInt64BE(BigInt(this.physicMsgTimestamp), 0)
    content.writeBigInt64BE(BigInt(this.logicsMsgTimestamp), 8)
    content.writeBigInt64BE(BigInt(this.indexMsgTimestamp), 16)
    content.writeBigInt64BE(BigInt(this.masterFlushedOffset), 24)
    content.writeBigInt64BE(BigInt(this.confirmPhyOffset), 32)
    content.write(MAGIC, RESUME_AT, 'latin1')
    content.copy(content, RESUME_AT + 8, 0, 16)
    content.writeBigInt64BE(BigInt(resumePoint.written.offset), RESUME_AT + 24)
    content.writeBigInt64BE(BigInt(resumePoint.written.scanOffset), RESUME_AT + 32)
    content.writeBigInt64BE(BigInt(resumePoint.durable.offset), RESUME_AT + 40)
    content.writeBigInt64BE(BigInt(resumePoint.durable.scanOffset), RESUME_AT + 48)
    content.writeBigInt64BE(BigInt(resumePoint.indexSlotsOffset), RESUME_AT + 56)
    content.writeBigInt64BE(BigInt(resumePoint.durableFingerprint), RESUME_AT + 64)
    content.writeBigInt64BE(BigInt(resumePoint.queueFileCount), RESUME_AT + 72)
    content.writeBigInt64BE(BigInt(resumePoint.queueEntryCount), RESUME_AT + 80)
    content.write(resumePoint.bootId.slice(0, 40), RESUME_AT + 88, 'latin1')
    content.writeUInt32BE(crc32(content, RESUME_AT, RESUME_AT + RESUME_BYTES), RESUME_AT + RESUME_BYTES)
    if (this.#saved?.equals(content)) return
    this.#saved = undefined
    this.#open().writeSync(content, 0, content.length, 0)
    this.#saved = content
  }

  /** As `save`, and waits for the device. */
  saveDurably(resumePoint: ResumePoint): void {
    this.save(resumePoint)
    this.#open().syncSync()
  }

  close(): void {
    this.#file?.close()
    this.#file = undefined
  }

  #open(): DiskFile {
    if (this.#file === undefined) {
      this.#file = this.#disk.open(this.path, { create: true })
      if (this.#file.size() !== FILE_BYTES) this.#file.truncate(FILE_BYTES)
    }
    return this.#file
  }

  #decodeResumePoint(content: Buffer): ResumePoint | undefined {
    const end = RESUME_AT + RESUME_BYTES
    if (content.length < end + 4 || content.toString('latin1', RESUME_AT, RESUME_AT + 8) !== MAGIC) return undefined
    if (crc32(content, RESUME_AT, end) !== content.readUInt32BE(end)) return undefined
    if (!content.subarray(0, 16).equals(content.subarray(RESUME_AT + 8, RESUME_AT + 24))) return undefined
    return {
      written: readPosition(content, RESUME_AT + 24),
      durable: readPosition(content, RESUME_AT + 40),
      indexSlotsOffset: readTime(content, RESUME_AT + 56),
      durableFingerprint: readTime(content, RESUME_AT + 64),
      queueFileCount: readTime(content, RESUME_AT + 72),
      queueEntryCount: readTime(content, RESUME_AT + 80),
      bootId: content.toString('latin1', RESUME_AT + 88, end).replace(/\0+$/, ''),
    }
  }
}

function readPosition(content: Buffer, at: number): ResumePosition {
  return { offset: readTime(content, at), scanOffset: readTime(content, at + 8) }
}

function readTime(content: Buffer, at: number): number {
  return Number(content.readBigInt64BE(at))
}
