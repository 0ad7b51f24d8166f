import type { Watermarks } from '../watermarks.ts'
import type { CommitLog } from './commit-log.ts'

/** Size of the pieces in which the cold part of the log is read. */
const BLOCK_BYTES = 256 * 1024
/** Runs of the hot end below it are copied: cheaper than a slice, and the chunk can be used again. */
const COPY_MAX_BYTES = 32 * 1024
/** Most that is read for several records at once. */
const LOAD_AHEAD_MAX_BYTES = 2 * 1024 * 1024

interface Block {
  readonly bytes: Buffer
  /** Bytes that were written when the block was read. */
  readonly length: number
}

/**
 * Reads records: the end of the log from memory, the rest from the files in blocks, off the event loop. Several readers of one region
 * share its blocks, and a block that follows another is read before it is asked for.
 */
export class LogReader {
  readonly #commitLog: CommitLog
  readonly #watermarks: Watermarks
  readonly #blocksMax: number
  /** By block number; the least recently used first. */
  readonly #blocks = new Map<number, Block>()
  readonly #loading = new Map<number, Promise<Block>>()

  constructor(commitLog: CommitLog, watermarks: Watermarks, cacheBytes: number) {
    this.#commitLog = commitLog
    this.#watermarks = watermarks
    this.#blocksMax = Math.max(2, Math.floor(cacheBytes / BLOCK_BYTES))
  }

  /** True when `[offset, offset + size)` is in memory. */
  isHot(offset: number, size: number): boolean {
    return this.#commitLog.tail.find(offset, size) !== undefined
  }

  /**
   * The bytes of records that are all hot, in order: `offsets[i]`, `sizes[i]`. A few KiB are copied together; larger runs are slices that
   * stay valid.
   */
  hotParts(offsets: readonly number[], sizes: readonly number[], totalBytes: number): Buffer[] {
    if (!this.isCopied(totalBytes)) return this.#hotSlices(offsets, sizes)
    const target = Buffer.allocUnsafe(totalBytes)
    this.copyHot(offsets, sizes, target, 0)
    return [target]
  }

  /** Whether an answer of that size is copied rather than given as slices. */
  isCopied(totalBytes: number): boolean {
    return totalBytes <= COPY_MAX_BYTES
  }

  /** Copies hot records, one behind the other, to `target` from `start` on; the offset behind the last. */
  copyHot(offsets: readonly number[], sizes: readonly number[], target: Buffer, start: number): number {
    const { tail } = this.#commitLog
    const count = offsets.length
    let at = start
    for (let i = 0; i < count; ) {
      const offset = offsets[i]!
      let size = sizes[i++]!
      // Neighbours in the log are one copy.
      while (i < count && offsets[i] === offset + size && tail.find(offset, size + sizes[i]!) !== undefined) {
        size += sizes[i++]!
      }
      const chunk = tail.find(offset, size)!
      const from = offset - chunk.baseOffset
      chunk.buffer.copy(target, at, from, from + size)
      at += size
    }
    return at
  }

  #hotSlices(offsets: readonly number[], sizes: readonly number[]): Buffer[] {
    const { tail } = this.#commitLog
    const parts: Buffer[] = []
    for (let i = 0; i < offsets.length; ) {
      const start = offsets[i]!
      const chunk = tail.find(start, sizes[i]!)!
      const chunkEnd = chunk.baseOffset + chunk.length
      let end = start + sizes[i]!
      i++
      while (i < offsets.length && offsets[i] === end && end + sizes[i]! <= chunkEnd) end += sizes[i++]!
      chunk.isLent = true
      parts.push(chunk.buffer.subarray(start - chunk.baseOffset, end - chunk.baseOffset))
    }
    return parts
  }

  /** One record or part of it; undefined when it is no longer, or not yet, in the log. From memory without a promise. */
  read(offset: number, size: number): Buffer | undefined | Promise<Buffer | undefined> {
    if (offset < this.#commitLog.minOffset || offset + size > this.#watermarks.written) {
      const slice = this.#commitLog.sliceOfTail(offset, size)
      return slice !== undefined && offset + size <= this.#watermarks.appended ? slice : undefined
    }
    return this.#commitLog.sliceOfTail(offset, size) ?? this.#sliceOfBlock(offset, size) ?? this.#readCold(offset, size)
  }

  /**
   * Several records, as {@link read}. A promise only when some of them must be read from the files, which is then done for all
   * of them together.
   */
  readMany(
    offsets: readonly number[],
    sizes: readonly number[],
  ): (Buffer | undefined)[] | Promise<(Buffer | undefined)[]> {
    const records: (Buffer | undefined)[] = []
    for (let i = 0; i < offsets.length; i++) {
      const record = this.read(offsets[i]!, sizes[i]!)
      if (record instanceof Promise) return this.#readRest(offsets, sizes, records, record)
      records.push(record)
    }
    return records
  }

  async #readRest(
    offsets: readonly number[],
    sizes: readonly number[],
    records: (Buffer | undefined)[],
    next: Promise<Buffer | undefined>,
  ): Promise<(Buffer | undefined)[]> {
    this.#loadAhead(offsets, sizes, records.length)
    records.push(await next)
    while (records.length < offsets.length) {
      const record = this.read(offsets[records.length]!, sizes[records.length]!)
      records.push(record instanceof Promise ? await record : record)
    }
    return records
  }

  /**
   * Records far apart: each is read by itself, several at a time, because the blocks around them would hold little else that is wanted.
   * Undefined in the place of one that isn't there.
   */
  readScattered(offsets: readonly number[], sizes: readonly number[]): Promise<(Buffer | undefined)[]> {
    return Promise.all(offsets.map((offset, index) => this.#readOne(offset, sizes[index]!)))
  }

  async #readOne(offset: number, size: number): Promise<Buffer | undefined> {
    const slice = this.#commitLog.sliceOfTail(offset, size)
    if (slice !== undefined) return slice
    if (offset < this.#commitLog.minOffset || offset + size > this.#watermarks.written) return undefined
    return this.#readAlone(offset, size)
  }

  /** Begins to read the blocks of the records from number `from` on, side by side, where the records lie close together. */
  #loadAhead(offsets: readonly number[], sizes: readonly number[], from: number): void {
    const start = offsets[from]!
    const lastIndex = offsets.length - 1
    const end = offsets[lastIndex]! + sizes[lastIndex]!
    const isDense = end > start && end - start <= LOAD_AHEAD_MAX_BYTES && end <= this.#watermarks.written
    // Who needs a block and can't get it, hears of it.
    if (isDense) this.prefetch(start, end).catch(() => {})
  }

  /** As {@link read}, blocking: for searches that read a few bytes here and there. */
  readSync(offset: number, size: number): Buffer | undefined {
    if (offset < this.#commitLog.minOffset || offset + size > this.#watermarks.written) return undefined
    const slice = this.#commitLog.sliceOfTail(offset, size)
    if (slice !== undefined) return slice
    const bytes = Buffer.allocUnsafe(size)
    return this.#commitLog.log.readSync(bytes, 0, size, offset) === size ? bytes : undefined
  }

  /** A record that lies in one block which has been read. */
  #sliceOfBlock(offset: number, size: number): Buffer | undefined {
    const number = Math.floor(offset / BLOCK_BYTES)
    const from = offset - number * BLOCK_BYTES
    return from + size > BLOCK_BYTES ? undefined : this.#cached(number, from + size)?.bytes.subarray(from, from + size)
  }

  async #readCold(offset: number, size: number): Promise<Buffer | undefined> {
    const first = Math.floor(offset / BLOCK_BYTES)
    const last = Math.floor((offset + size - 1) / BLOCK_BYTES)
    if (last - first > 1) return this.#readAlone(offset, size)
    const from = offset - first * BLOCK_BYTES
    const head = this.#cached(first, Math.min(from + size, BLOCK_BYTES)) ?? (await this.#load(first))
    if (first === last) {
      return from + size <= head.length ? head.bytes.subarray(from, from + size) : this.#readAlone(offset, size)
    }
    const restBytes = from + size - BLOCK_BYTES
    const rest = this.#cached(last, restBytes) ?? (await this.#load(last))
    if (head.length < BLOCK_BYTES || rest.length < restBytes) return this.#readAlone(offset, size)
    return Buffer.concat([head.bytes.subarray(from, BLOCK_BYTES), rest.bytes.subarray(0, restBytes)], size)
  }

  /** Without blocks: a record that is large, or in whose block files are missing before it, as at the begin of the log. */
  async #readAlone(offset: number, size: number): Promise<Buffer | undefined> {
    const bytes = Buffer.allocUnsafe(size)
    return (await this.#commitLog.log.read(bytes, 0, size, offset)) === size ? bytes : undefined
  }

  /** Reads the blocks of a range that will be asked for, all at once. */
  async prefetch(offset: number, end: number): Promise<void> {
    const loads: Promise<Block>[] = []
    const last = Math.floor((end - 1) / BLOCK_BYTES)
    for (let number = Math.floor(offset / BLOCK_BYTES); number <= last; number++) {
      const needed = Math.min(end - number * BLOCK_BYTES, BLOCK_BYTES)
      if (this.#cached(number, needed) === undefined) loads.push(this.#load(number))
    }
    await Promise.all(loads)
  }

  #cached(number: number, neededBytes: number): Block | undefined {
    const block = this.#blocks.get(number)
    if (block === undefined || block.length < neededBytes) return undefined
    this.#blocks.delete(number)
    this.#blocks.set(number, block)
    return block
  }

  #load(number: number): Promise<Block> {
    const loading = this.#loading.get(number)
    if (loading !== undefined) return loading
    const load = this.#loadBlock(number).finally(() => this.#loading.delete(number))
    this.#loading.set(number, load)
    const follows = this.#blocks.has(number - 1)
    if (follows && !this.#blocks.has(number + 1) && (number + 2) * BLOCK_BYTES <= this.#watermarks.written) {
      this.#load(number + 1).catch(() => {})
    }
    return load
  }

  async #loadBlock(number: number): Promise<Block> {
    const start = number * BLOCK_BYTES
    const wanted = Math.min(BLOCK_BYTES, this.#watermarks.written - start)
    const bytes = Buffer.allocUnsafeSlow(Math.max(0, wanted))
    const got = await this.#commitLog.log.read(bytes, 0, bytes.length, start)
    const block = { bytes, length: got }
    this.#blocks.delete(number)
    this.#blocks.set(number, block)
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= this.#blocksMax) break
      this.#blocks.delete(oldest)
    }
    return block
  }
}
