import type { Connection } from '@rocketmq-ts/remoting'
import { assert } from '@rocketmq-ts/runtime'

/** Slots at first; the ring doubles up to its limit. A power of two. */
const INITIAL_CAPACITY = 1024

/**
 * Sends that are stored but not yet answered, in the order of the log, as a struct of arrays: no object, no closure and no
 * promise per message.
 *
 * ```text
 *  slot:      head                                  head + count
 *              v  oldest                                 v
 *  arrays: …  [e0][e1][e2] … [en]                        free …        index = slot & mask
 *  released at the head when the log's watermark passes `endOffset`; taken back at the tail when a write failed
 * ```
 */
export class AckRing {
  #capacity = INITIAL_CAPACITY
  #mask = INITIAL_CAPACITY - 1
  #head = 0
  #count = 0
  /** Physical offset after the record (after the last one of a batch). */
  endOffsets = new Float64Array(INITIAL_CAPACITY)
  /** Physical offset of the record (of the first one of a batch). */
  physicalOffsets = new Float64Array(INITIAL_CAPACITY)
  queueOffsets = new Float64Array(INITIAL_CAPACITY)
  /** Monotonic ms at which the wait is over; 0: never. */
  deadlines = new Float64Array(INITIAL_CAPACITY)
  queueIds = new Int32Array(INITIAL_CAPACITY)
  opaques = new Int32Array(INITIAL_CAPACITY)
  connections: (Connection | undefined)[] = new Array(INITIAL_CAPACITY).fill(undefined)
  transactionIds: (string | undefined)[] = new Array(INITIAL_CAPACITY).fill(undefined)
  /** The message ids of a batch; undefined: the one of `physicalOffsets`. */
  batchIds: (string | undefined)[] = new Array(INITIAL_CAPACITY).fill(undefined)

  get count(): number {
    return this.#count
  }

  /** Index of the oldest entry; only while `count` is above 0. */
  get first(): number {
    return this.#head & this.#mask
  }

  /** Index of the newest entry; only while `count` is above 0. */
  get last(): number {
    return (this.#head + this.#count - 1) & this.#mask
  }

  push(
    connection: Connection,
    opaque: number,
    queueId: number,
    queueOffset: number,
    physicalOffset: number,
    endOffset: number,
    deadline: number,
    transactionId: string | undefined,
    batchIds: string | undefined,
  ): void {
    if (this.#count === this.#capacity) this.#grow()
    const index = (this.#head + this.#count) & this.#mask
    this.endOffsets[index] = endOffset
    this.physicalOffsets[index] = physicalOffset
    this.queueOffsets[index] = queueOffset
    this.deadlines[index] = deadline
    this.queueIds[index] = queueId
    this.opaques[index] = opaque
    this.connections[index] = connection
    this.transactionIds[index] = transactionId
    this.batchIds[index] = batchIds
    this.#count++
  }

  /** Forgets the oldest entry. */
  dropFirst(): void {
    assert(this.#count > 0, 'an acknowledgement waits')
    this.#clear(this.#head & this.#mask)
    this.#head = (this.#head + 1) & this.#mask
    this.#count--
  }

  /** Forgets the newest entry. */
  dropLast(): void {
    assert(this.#count > 0, 'an acknowledgement waits')
    this.#count--
    this.#clear((this.#head + this.#count) & this.#mask)
  }

  #clear(index: number): void {
    this.connections[index] = undefined
    this.transactionIds[index] = undefined
    this.batchIds[index] = undefined
  }

  #grow(): void {
    const old = this.#capacity
    const start = this.#head
    this.endOffsets = unrolled(this.endOffsets, new Float64Array(old * 2), start)
    this.physicalOffsets = unrolled(this.physicalOffsets, new Float64Array(old * 2), start)
    this.queueOffsets = unrolled(this.queueOffsets, new Float64Array(old * 2), start)
    this.deadlines = unrolled(this.deadlines, new Float64Array(old * 2), start)
    this.queueIds = unrolled(this.queueIds, new Int32Array(old * 2), start)
    this.opaques = unrolled(this.opaques, new Int32Array(old * 2), start)
    this.connections = unrolledList(this.connections, start)
    this.transactionIds = unrolledList(this.transactionIds, start)
    this.batchIds = unrolledList(this.batchIds, start)
    this.#capacity = old * 2
    this.#mask = this.#capacity - 1
    this.#head = 0
  }
}

function unrolled<T extends Float64Array | Int32Array>(from: T, to: T, start: number): T {
  to.set(from.subarray(start))
  to.set(from.subarray(0, start), from.length - start)
  return to
}

function unrolledList<T>(from: (T | undefined)[], start: number): (T | undefined)[] {
  const spare: (T | undefined)[] = new Array(from.length).fill(undefined)
  return [...from.slice(start), ...from.slice(0, start), ...spare]
}
