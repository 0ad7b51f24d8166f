import { assert } from '@rocketmq-ts/runtime'

/** Size of the pieces in which small frames are gathered. */
const PIECE_BYTES = 64 * 1024

/** Parts from this size on go out by reference; smaller ones are cheaper copied. */
const REFERENCE_MIN_BYTES = 4 * 1024

/**
 * Pieces between uses, shared by all connections of a process part. Keeps at most `piecesMax`; more are left to the
 * garbage collector.
 */
export class PiecePool {
  readonly #free: Buffer[] = []
  readonly #piecesMax: number

  constructor(piecesMax = 64) {
    this.#piecesMax = piecesMax
  }

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES)
  }

  /** Gives a piece back; nobody may look at it any more. */
  release(piece: Buffer): void {
    if (this.#free.length < this.#piecesMax) this.#free.push(piece)
  }
}

/** Takes bytes off an {@link OutputBuffer}. */
export interface OutputSink {
  cork(): void
  uncork(): void
  write(bytes: Buffer): unknown
  /** Bytes taken but not yet handed to the kernel. */
  readonly writableLength: number
}

/**
 * What a connection has to say, gathered during a turn and handed to the socket at once. Small frames are copied side by
 * side into a piece of 64 KiB, so that a turn's answers are one write; large parts are kept by reference in between.
 *
 * ```text
 * pieces:   [frame frame frame][frame ····free····]
 * queue:     ^ sealed ranges, and large parts by reference, in order      open range: [#rangeStart, #end)
 * ```
 *
 * Budget per small frame: one copy, no allocation (with {@link OutputBuffer.reserve}: none at all).
 */
export class OutputBuffer {
  readonly #pool: PiecePool
  #queue: Buffer[] = []
  #pieces: Buffer[] = []
  #piece: Buffer | undefined
  #rangeStart = 0
  #end = 0
  #bytes = 0

  constructor(pool: PiecePool) {
    this.#pool = pool
  }

  /** Bytes that wait here. */
  get length(): number {
    return this.#bytes
  }

  /** Where a frame written after {@link OutputBuffer.reserve} begins. */
  get offset(): number {
    return this.#end
  }

  /**
   * Memory for a frame of at most `maxBytes` (up to 64 KiB), to be written from {@link OutputBuffer.offset} on and then
   * counted in by {@link OutputBuffer.commit}. Nothing else may be appended in between.
   */
  reserve(maxBytes: number): Buffer {
    if (this.#piece === undefined || this.#end + maxBytes > PIECE_BYTES) this.#nextPiece(maxBytes)
    return this.#piece as Buffer
  }

  /** The frame in the reserved memory ends before `endOffset`. */
  commit(endOffset: number): void {
    this.#bytes += endOffset - this.#end
    this.#end = endOffset
  }

  /** Appends `bytes`. Large ones are kept by reference and must not change any more. */
  append(bytes: Buffer): void {
    if (bytes.length < REFERENCE_MIN_BYTES) {
      const target = this.reserve(bytes.length)
      target.set(bytes, this.#end)
      this.commit(this.#end + bytes.length)
      return
    }
    this.#seal()
    this.#queue.push(bytes)
    this.#bytes += bytes.length
  }

  /** Hands everything to `sink`, in order. */
  flushTo(sink: OutputSink): void {
    this.#seal()
    const queue = this.#queue
    if (queue.length === 0) return
    const pieces = this.#pieces
    if (this.#piece !== undefined) pieces.push(this.#piece)
    this.#queue = []
    this.#pieces = []
    this.#piece = undefined
    this.#rangeStart = 0
    this.#end = 0
    this.#bytes = 0
    writeAll(sink, queue)
    // All in the kernel: nobody looks at the pieces any more. Otherwise the socket holds on to them, and the garbage
    // collector gets them when it is done.
    if (sink.writableLength === 0) for (const piece of pieces) this.#pool.release(piece)
  }

  /** Forgets everything. */
  clear(): void {
    this.#queue = []
    this.#pieces = []
    this.#piece = undefined
    this.#rangeStart = 0
    this.#end = 0
    this.#bytes = 0
  }

  #nextPiece(maxBytes: number): void {
    assert(maxBytes <= PIECE_BYTES, `${maxBytes} bytes don't fit into a piece`)
    this.#seal()
    if (this.#piece !== undefined) this.#pieces.push(this.#piece)
    this.#piece = this.#pool.take()
    this.#rangeStart = 0
    this.#end = 0
  }

  #seal(): void {
    if (this.#piece === undefined || this.#end === this.#rangeStart) return
    this.#queue.push(this.#piece.subarray(this.#rangeStart, this.#end))
    this.#rangeStart = this.#end
  }
}

function writeAll(sink: OutputSink, queue: readonly Buffer[]): void {
  if (queue.length === 1) {
    sink.write(queue[0] as Buffer)
    return
  }
  sink.cork()
  for (const bytes of queue) sink.write(bytes)
  sink.uncork()
}
