import type { Socket } from '@rocketmq-ts/runtime'
import type { Flushable, Flusher } from './flusher.ts'
import { OutputBuffer } from './output-buffer.ts'

/** Who hears how the bytes of a {@link Transmitter} fare. */
export interface TransmitterOwner {
  /** More bytes wait; {@link Transmitter.unsentBytes} has grown. */
  onQueued(): void
  /** The kernel has taken everything. */
  onDrained(): void
}

/** The outgoing half of a connection: gathers what is said in a turn, and writes it once at the turn's end. */
export class Transmitter implements Flushable {
  readonly #socket: Socket
  readonly #flusher: Flusher
  readonly #owner: TransmitterOwner
  readonly #output: OutputBuffer
  #socketBytes = 0
  #isMarked = false

  constructor(socket: Socket, flusher: Flusher, owner: TransmitterOwner) {
    this.#socket = socket
    this.#flusher = flusher
    this.#owner = owner
    this.#output = new OutputBuffer(flusher.pool)
    socket.on('drain', () => this.#onDrain())
  }

  /** Bytes that the kernel has not taken, here and in the socket (there as of the last flush). */
  get unsentBytes(): number {
    return this.#output.length + this.#socketBytes
  }

  /** Where the memory from {@link Transmitter.reserve} begins. */
  get offset(): number {
    return this.#output.offset
  }

  /** See {@link OutputBuffer.reserve}. */
  reserve(maxBytes: number): Buffer {
    return this.#output.reserve(maxBytes)
  }

  /** See {@link OutputBuffer.commit}. */
  commit(endOffset: number): void {
    this.#output.commit(endOffset)
    this.#afterQueued()
  }

  /** Queues one or two buffers that belong together. */
  append(head: Buffer, body?: Buffer): void {
    this.#output.append(head)
    if (body !== undefined) this.#output.append(body)
    this.#afterQueued()
  }

  /** Queues a head and the parts of its body. */
  appendParts(head: Buffer, parts: readonly Buffer[]): void {
    this.#output.append(head)
    for (const part of parts) this.#output.append(part)
    this.#afterQueued()
  }

  /** Hands everything to the socket. Called at the end of a turn, and before closing. */
  flush(): void {
    this.#isMarked = false
    if (this.#output.length === 0) return
    if (!this.#socket.writable) {
      // The peer has ended the connection, and node our half of it.
      this.#output.clear()
      return
    }
    this.#output.flushTo(this.#socket)
    this.#socketBytes = this.#socket.writableLength
    if (this.#socketBytes === 0) this.#owner.onDrained()
  }

  /** Forgets what has not been handed to the socket. */
  clear(): void {
    this.#output.clear()
    this.#socketBytes = 0
  }

  #afterQueued(): void {
    if (!this.#isMarked) {
      this.#isMarked = true
      this.#flusher.mark(this)
    }
    this.#owner.onQueued()
  }

  #onDrain(): void {
    this.#socketBytes = this.#socket.writableLength
    this.#owner.onDrained()
  }
}
