import { assert } from '@rocketmq-ts/runtime'

/**
 * A piece of the log's end in memory: bytes `baseOffset` to `baseOffset + length` of the log, all in one file. Records never
 * cross chunks.
 */
export interface TailChunk {
  readonly buffer: Buffer
  readonly view: DataView
  baseOffset: number
  length: number
  /** Of `length`, what is in the file. */
  written: number
  /** A slice of it was given away, so the buffer can't be used again. */
  isLent: boolean
}

export interface TailOptions {
  /** Size of a chunk; a record larger than that gets a chunk of its own. */
  readonly chunkBytes: number
  /** Chunks together, oldest dropped first. What isn't written is never dropped. */
  readonly retainedBytes: number
}

/**
 * The newest part of the commit log. Appends encode straight into it, one write a turn takes it to the file, and readers at the
 * end of the log are served from it without touching the file.
 *
 * ```text
 *   oldest kept ─────────── written ─────────── appended
 *        chunks: [........][........][......-----      ]
 * ```
 */
export class Tail {
  readonly #options: TailOptions
  readonly #chunks: TailChunk[] = []
  readonly #free: TailChunk[] = []
  #retained = 0
  /** Where the current file begins, when it began in this life. */
  #fileStart = -1
  /** The chunk that was found last; undefined as soon as chunks are dropped. */
  #found: TailChunk | undefined
  /** Offset of the next record. */
  appendedOffset: number
  writtenOffset: number

  constructor(options: TailOptions, offset: number) {
    this.#options = options
    this.appendedOffset = offset
    this.writtenOffset = offset
  }

  /** Oldest first. */
  get chunks(): readonly TailChunk[] {
    return this.#chunks
  }

  get unwrittenBytes(): number {
    return this.appendedOffset - this.writtenOffset
  }

  /** The chunk that takes the next record, with room for `size` bytes behind its `length`. */
  reserve(size: number): TailChunk {
    const last = this.#chunks[this.#chunks.length - 1]
    // A chunk never reaches into the next file, also where the blank record ended exactly at the file's end.
    if (
      last !== undefined &&
      last.baseOffset + last.length === this.appendedOffset &&
      this.appendedOffset !== this.#fileStart
    ) {
      if (last.length + size <= last.buffer.length) return last
    }
    return this.#addChunk(size)
  }

  /** The record that was encoded behind the chunk's length is complete. */
  commit(chunk: TailChunk, size: number): void {
    chunk.length += size
    this.appendedOffset += size
  }

  /** Continues at `offset`: the start of the next file. The bytes between stay zero. */
  skipTo(offset: number): void {
    assert(offset >= this.appendedOffset, 'the log only grows')
    this.appendedOffset = offset
    this.#fileStart = offset
  }

  /** All chunks' bytes are in the file. */
  markWritten(): void {
    for (let i = this.#chunks.length - 1; i >= 0; i--) {
      const chunk = this.#chunks[i]!
      if (chunk.written === chunk.length && i < this.#chunks.length - 1) break
      chunk.written = chunk.length
    }
    this.writtenOffset = this.appendedOffset
    if (this.#retained > this.#options.retainedBytes) this.#dropOldest()
  }

  /** Forgets what was appended and not written. */
  rollBack(): void {
    for (let i = this.#chunks.length - 1; i >= 0; i--) {
      const chunk = this.#chunks[i]!
      if (chunk.written > 0) {
        chunk.length = chunk.written
        break
      }
      this.#chunks.pop()
      this.#giveBack(chunk)
    }
    this.appendedOffset = this.writtenOffset
    this.#fileStart = -1
  }

  /** The chunk that holds all of `[offset, offset + size)`, if it is still in memory. */
  find(offset: number, size: number): TailChunk | undefined {
    // Whoever reads goes forward: mostly it is the chunk of the last time.
    const last = this.#found
    if (last !== undefined && offset >= last.baseOffset && offset + size <= last.baseOffset + last.length) return last
    return this.#search(offset, size)
  }

  #search(offset: number, size: number): TailChunk | undefined {
    const chunks = this.#chunks
    let low = 0
    let high = chunks.length - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const chunk = chunks[middle]!
      if (offset < chunk.baseOffset) high = middle - 1
      else if (offset >= chunk.baseOffset + chunk.length) low = middle + 1
      else if (offset + size > chunk.baseOffset + chunk.length) return undefined
      else {
        this.#found = chunk
        return chunk
      }
    }
    return undefined
  }

  /** Offset from which on everything is in memory. */
  get oldestOffset(): number {
    return this.#chunks.length === 0 ? this.appendedOffset : this.#chunks[0]!.baseOffset
  }

  #addChunk(size: number): TailChunk {
    const { chunkBytes } = this.#options
    const recycled = size <= chunkBytes ? this.#free.pop() : undefined
    let chunk: TailChunk
    if (recycled !== undefined) {
      chunk = recycled
      chunk.length = 0
      chunk.written = 0
      chunk.baseOffset = this.appendedOffset
    } else {
      const buffer = Buffer.allocUnsafeSlow(Math.max(size, chunkBytes))
      const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
      chunk = { buffer, view, baseOffset: this.appendedOffset, length: 0, written: 0, isLent: false }
    }
    this.#chunks.push(chunk)
    this.#retained += chunk.buffer.length
    return chunk
  }

  #dropOldest(): void {
    let count = 0
    while (count < this.#chunks.length - 1 && this.#retained > this.#options.retainedBytes) {
      const chunk = this.#chunks[count]!
      if (chunk.written < chunk.length) break
      this.#giveBack(chunk)
      count++
    }
    this.#chunks.splice(0, count)
  }

  #giveBack(chunk: TailChunk): void {
    this.#found = undefined
    this.#retained -= chunk.buffer.length
    if (!chunk.isLent && chunk.buffer.length === this.#options.chunkBytes && this.#free.length < 2) {
      this.#free.push(chunk)
    }
  }
}
