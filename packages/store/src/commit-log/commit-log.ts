import { BLANK_HEAD_BYTES, magicBlank } from '@rocketmq-ts/model'
import { SegmentedLog, type SegmentedLogContext } from '../segment/segmented-log.ts'
import { Tail, type TailChunk, type TailOptions } from './tail.ts'

/** Bytes that a record leaves free in its file: room for the head of the blank record. */
export const FILE_END_RESERVED_BYTES = BLANK_HEAD_BYTES

/** The commit log: its files, and its end in memory. */
export class CommitLog {
  readonly log: SegmentedLog
  tail: Tail
  readonly #tailOptions: TailOptions
  /** End of the file that takes the next record. */
  #fileEnd = 0
  /** Behind `tail.writtenOffset` a failed write may have left bytes, up to here. */
  #staleUntil = 0

  constructor(context: SegmentedLogContext, directory: string, fileSizeBytes: number, tailOptions: TailOptions) {
    this.log = new SegmentedLog(context, directory, fileSizeBytes)
    this.#tailOptions = tailOptions
    this.tail = new Tail(tailOptions, 0)
  }

  /** Continues at `offset`, the end that recovery found. */
  startAt(offset: number): void {
    this.tail = new Tail(this.#tailOptions, offset)
    const size = this.log.fileSizeBytes
    const grid = this.log.startOffset % size
    this.#fileEnd = offset - ((offset - grid) % size) + size
  }

  /** The smallest physical offset kept. */
  get minOffset(): number {
    return this.log.startOffset
  }

  /** Whether a record of `size` bytes fits behind those of this turn into the current file. */
  fits(size: number): boolean {
    return size + FILE_END_RESERVED_BYTES <= this.#fileEnd - this.tail.appendedOffset
  }

  /** Whether an empty file could take it. */
  couldFit(size: number): boolean {
    return size + FILE_END_RESERVED_BYTES <= this.log.fileSizeBytes
  }

  /** Ends the current file with a blank record; the next record begins the next file. */
  roll(): void {
    const { tail } = this
    const left = this.#fileEnd - tail.appendedOffset
    if (left >= BLANK_HEAD_BYTES) {
      const chunk = tail.reserve(BLANK_HEAD_BYTES)
      chunk.view.setInt32(chunk.length, left)
      chunk.view.setInt32(chunk.length + 4, magicBlank)
      tail.commit(chunk, BLANK_HEAD_BYTES)
    }
    tail.skipTo(this.#fileEnd)
    this.#fileEnd += this.log.fileSizeBytes
  }

  /**
   * Hands everything appended to the kernel, one write per chunk touched (one, as a rule). Throws `DISK_FULL` or `DISK_FAILED`;
   * then nothing of it counts as written, and the caller rolls back.
   */
  writeTail(): void {
    const { tail, log } = this
    this.#cleanStale()
    try {
      for (const chunk of tail.chunks) {
        if (chunk.written < chunk.length) this.#writeChunk(chunk)
      }
    } catch (error) {
      this.#staleUntil = Math.max(this.#staleUntil, tail.appendedOffset)
      throw error
    }
    if (tail.appendedOffset > log.limitOffset) log.ensureSegment(tail.appendedOffset - 1)
    tail.markWritten()
  }

  /** Forgets what was appended since the last successful write. */
  rollBack(): void {
    this.tail.rollBack()
    const size = this.log.fileSizeBytes
    while (this.tail.appendedOffset < this.#fileEnd - size) this.#fileEnd -= size
    try {
      this.#cleanStale()
    } catch {
      // The disk fails altogether; the next write begins with it.
    }
  }

  /**
   * The bytes `[offset, offset + size)` when they are in memory, as a slice that stays valid (its chunk isn't used again).
   */
  sliceOfTail(offset: number, size: number): Buffer | undefined {
    const chunk = this.tail.find(offset, size)
    if (chunk === undefined) return undefined
    chunk.isLent = true
    const at = offset - chunk.baseOffset
    return chunk.buffer.subarray(at, at + size)
  }

  #writeChunk(chunk: TailChunk): void {
    const offset = chunk.baseOffset + chunk.written
    const segment = this.log.ensureSegment(offset)
    // Once per file: a power loss must not keep a later file and lose an earlier one.
    this.log.syncNames()
    this.log
      .file(segment)
      .writeSync(chunk.buffer, chunk.written, chunk.length - chunk.written, offset - segment.startOffset)
  }

  /**
   * A failed write may have left whole records behind the end. They must not be found by a recovery, so what isn't zero there is
   * overwritten with zeros; those blocks exist, so a full disk is no obstacle.
   */
  #cleanStale(): void {
    const from = this.tail.writtenOffset
    if (this.#staleUntil <= from) return
    const block = Buffer.alloc(64 * 1024)
    for (let offset = from; offset < this.#staleUntil; offset += block.length) {
      const length = Math.min(block.length, this.#staleUntil - offset)
      const got = this.log.readSync(block, 0, length, offset)
      let end = got
      while (end > 0 && block[end - 1] === 0) end--
      if (end === 0) continue
      block.fill(0, 0, end)
      this.log.writeSync(block, 0, end, offset)
    }
    this.#staleUntil = 0
  }
}
