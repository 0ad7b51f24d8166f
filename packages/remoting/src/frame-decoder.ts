import { FRAME_LIMIT_BYTES } from '@rocketmq-ts/protocol'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { BorrowedBytes } from './bytes.ts'

const LENGTH_BYTES = 4
const emptyBytes: Buffer = Buffer.alloc(0)

/**
 * Cuts a byte stream into frames; knows nothing of sockets.
 *
 * ```text
 * [length:4][rest:length][length:4][rest:length] …
 *            ^start      ^end        of `bytes`, after next() returned true
 * ```
 *
 * A frame that lies inside one chunk is yielded in place. One that spans chunks is gathered in a buffer of its own that
 * grows with what has really come in (at most four times that, at most the frame), so a peer that announces 16 MiB and
 * sends 10 bytes costs about 10 bytes. Bytes of a chunk are looked at only as far as `next` is called: a receiver that
 * wants no more frames for now just stops calling.
 *
 * Budget per frame inside a chunk: no allocation, no copy.
 */
export class FrameDecoder {
  /** The frame found by the last {@link FrameDecoder.next}, without its length field: `bytes[start, end)`. */
  bytes: BorrowedBytes = emptyBytes
  start = 0
  end = 0

  readonly #frameLimitBytes: number
  #chunk: Buffer = emptyBytes
  #position = 0
  /** An unfinished frame, length field included: the first `#partialBytes` of `#partial` are filled. */
  #partial: Buffer = emptyBytes
  #partialBytes = 0

  /** `frameLimitBytes` counts the length field, too. */
  constructor(frameLimitBytes = FRAME_LIMIT_BYTES) {
    this.#frameLimitBytes = frameLimitBytes
  }

  /** Memory held for an unfinished frame. */
  get heldBytes(): number {
    return this.#partial.length
  }

  /** True while the last chunk has not been used up. */
  get hasInput(): boolean {
    return this.#position < this.#chunk.length
  }

  /** Gives the decoder the next chunk, which it may keep. Cheap only after `next` has returned false. */
  push(chunk: Buffer): void {
    this.#chunk = this.hasInput ? Buffer.concat([this.#chunk.subarray(this.#position), chunk]) : chunk
    this.#position = 0
  }

  /**
   * Moves to the next whole frame; false when more input is needed. Throws `FRAME_TOO_LARGE` or `FRAME_INVALID` when the
   * length can't be true; the stream is worthless from there on.
   */
  next(): boolean {
    if (this.#partialBytes > 0) return this.#continuePartial()
    const chunk = this.#chunk
    const position = this.#position
    const available = chunk.length - position
    if (available >= LENGTH_BYTES) {
      const length = this.#checkLength(chunk, position)
      if (available >= LENGTH_BYTES + length) {
        this.bytes = chunk
        this.start = position + LENGTH_BYTES
        this.end = this.start + length
        this.#position = this.end
        return true
      }
    }
    if (available > 0) this.#keep(available)
    this.#releaseChunk()
    return false
  }

  #releaseChunk(): void {
    this.#chunk = emptyBytes
    this.#position = 0
  }

  #continuePartial(): boolean {
    if (this.#partialBytes < LENGTH_BYTES && !this.#fill(LENGTH_BYTES)) return false
    const total = LENGTH_BYTES + this.#checkLength(this.#partial, 0)
    if (!this.#fill(total)) return false
    this.bytes = this.#partial
    this.start = LENGTH_BYTES
    this.end = total
    this.#partial = emptyBytes
    this.#partialBytes = 0
    return true
  }

  /** Gathers up to `total` bytes of the unfinished frame; true when they are complete. */
  #fill(total: number): boolean {
    const take = Math.min(total - this.#partialBytes, this.#chunk.length - this.#position)
    if (take > 0) this.#keep(take, total)
    if (this.#partialBytes >= total) return true
    this.#releaseChunk()
    return false
  }

  #keep(count: number, total?: number): void {
    const needed = this.#partialBytes + count
    if (needed > this.#partial.length) this.#grow(needed, total ?? this.#totalAhead(count))
    this.#chunk.copy(this.#partial, this.#partialBytes, this.#position, this.#position + count)
    this.#partialBytes = needed
    this.#position += count
  }

  /** The length of the frame that begins at the chunk's position, when it can be seen. */
  #totalAhead(count: number): number {
    return count >= LENGTH_BYTES ? LENGTH_BYTES + this.#chunk.readInt32BE(this.#position) : LENGTH_BYTES
  }

  #grow(needed: number, total: number): void {
    const size = Math.max(needed, Math.min(total, Math.max(256, needed * 4)))
    const grown = Buffer.allocUnsafeSlow(size)
    this.#partial.copy(grown, 0, 0, this.#partialBytes)
    this.#partial = grown
  }

  #checkLength(source: Buffer, at: number): number {
    const length = source.readInt32BE(at)
    if (length < LENGTH_BYTES) throw new RocketMqError('FRAME_INVALID', `a frame of length ${length}`)
    if (length > this.#frameLimitBytes - LENGTH_BYTES) {
      throw new RocketMqError(
        'FRAME_TOO_LARGE',
        `a frame of ${length + LENGTH_BYTES} bytes is larger than ${this.#frameLimitBytes}`,
      )
    }
    return length
  }
}
