import { ResponseCode } from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'
import { type Clock, type Deferred, deferred, RocketMqError, type Timer } from '@rocketmq-ts/runtime'
import type { AppendResult, MessageStore, PutStatus } from '@rocketmq-ts/store'
import { AckRing } from './ack-ring.ts'
import type { SendAnswers } from './send-answers.ts'

/** Read live. */
export interface AckOptions {
  readonly flushDiskType: string
  readonly syncFlushTimeoutMs: number
  /** As many answers wait for one flush of the device at most, times {@link WAITING_FACTOR}. */
  readonly sendQueueCapacity: number
}

/** Java's queue holds requests that haven't begun; an answer that waits costs a fraction of that. */
const WAITING_FACTOR = 10
/** Log bytes that answers wait for at most. */
const WAITING_BYTES_MAX = 256 * 1024 * 1024

interface Waiter {
  readonly endOffset: number
  readonly done: Deferred<void>
}

export interface AckQueueDeps {
  readonly store: MessageStore
  readonly clock: Clock
  readonly answers: SendAnswers
  readonly options: AckOptions
}

/**
 * Answers each stored send when the log's watermark has passed it: written (survives a killed process), or flushed
 * (survives power loss) with SYNC_FLUSH, unless the message says WAIT=false. Two rings in log order; releasing looks at the
 * oldest entries only. A flush that takes longer than `syncFlushTimeoutMs` is answered FLUSH_DISK_TIMEOUT: the message is
 * stored and will be delivered, but a power loss might still take it.
 *
 * Bounded ({@link AckQueue.isFull}): 10 x `sendQueueCapacity` answers, or 256 MiB of log, that wait.
 */
export class AckQueue {
  readonly #clock: Clock
  readonly #answers: SendAnswers
  readonly #options: AckOptions
  readonly #written = new AckRing()
  readonly #flushed = new AckRing()
  /** Monotonic time of this turn; below 0 while nobody has asked. */
  #turnMs = -1
  #timer: Timer | undefined
  /** Callers of {@link AckQueue.whenWritten}, in log order. */
  #waiters: Waiter[] = []

  constructor(deps: AckQueueDeps) {
    this.#clock = deps.clock
    this.#answers = deps.answers
    this.#options = deps.options
    deps.store.onWritten(offset => this.#onWritten(offset))
    deps.store.onFlushed(offset => this.#release(this.#flushed, offset))
    deps.store.onFailure((fromOffset, status) => this.#onFailure(fromOffset, status))
  }

  /** Answers that wait. */
  get size(): number {
    return this.#written.count + this.#flushed.count
  }

  /** True when no further send should be taken in. */
  get isFull(): boolean {
    const ring = this.#flushed
    if (ring.count === 0) return false
    if (ring.count >= this.#options.sendQueueCapacity * WAITING_FACTOR) return true
    return (ring.endOffsets[ring.last] as number) - (ring.physicalOffsets[ring.first] as number) > WAITING_BYTES_MAX
  }

  /**
   * Takes the answer to a send that `result` (copied) says is in the log. `batchIds`: the message ids of a batch, joined
   * by commas; undefined for a single message.
   */
  push(
    connection: Connection,
    opaque: number,
    queueId: number,
    result: AppendResult,
    isWaitStoreOk: boolean,
    transactionId: string | undefined,
    batchIds: string | undefined,
  ): void {
    const { queueOffset, physicalOffset, endOffset } = result
    if (!isWaitStoreOk || this.#options.flushDiskType !== 'SYNC_FLUSH') {
      const ring = this.#written
      ring.push(connection, opaque, queueId, queueOffset, physicalOffset, endOffset, 0, transactionId, batchIds)
      return
    }
    if (this.#turnMs < 0) this.#turnMs = this.#clock.monotonic()
    const deadline = this.#turnMs + this.#options.syncFlushTimeoutMs
    const ring = this.#flushed
    ring.push(connection, opaque, queueId, queueOffset, physicalOffset, endOffset, deadline, transactionId, batchIds)
    if (this.#timer === undefined) this.#arm()
  }

  /**
   * For appends that are no client's send: resolves when the log is written up to `endOffset`; rejects with
   * `STORE_NOT_WRITABLE` when what was appended there is lost. Bounded by the requests that call it.
   */
  whenWritten(endOffset: number): Promise<void> {
    const done = deferred()
    this.#waiters.push({ endOffset, done })
    return done.promise
  }

  /** Ends waiting without answers; for a broker that stops. */
  close(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    while (this.#written.count > 0) this.#written.dropFirst()
    while (this.#flushed.count > 0) this.#flushed.dropFirst()
  }

  #onWritten(writtenOffset: number): void {
    this.#turnMs = -1
    this.#release(this.#written, writtenOffset)
    if (this.#waiters.length === 0) return
    const isDone = (waiter: Waiter) => waiter.endOffset <= writtenOffset
    for (const waiter of this.#waiters) if (isDone(waiter)) waiter.done.resolve()
    this.#waiters = this.#waiters.filter(waiter => !isDone(waiter))
  }

  #release(ring: AckRing, watermark: number): void {
    while (ring.count > 0 && (ring.endOffsets[ring.first] as number) <= watermark) {
      this.#answers.stored(ring, ring.first, ResponseCode.SUCCESS)
      ring.dropFirst()
    }
  }

  /** What was appended from `fromOffset` on isn't in the log after all. */
  #onFailure(fromOffset: number, status: PutStatus): void {
    for (const ring of [this.#written, this.#flushed]) {
      while (ring.count > 0 && (ring.endOffsets[ring.last] as number) > fromOffset) {
        this.#answers.failed(ring, ring.last, status)
        ring.dropLast()
      }
    }
    const isLost = (waiter: Waiter) => waiter.endOffset > fromOffset
    const lost = this.#waiters.filter(isLost)
    this.#waiters = this.#waiters.filter(waiter => !isLost(waiter))
    for (const { done } of lost) done.reject(new RocketMqError('STORE_NOT_WRITABLE', `a write failed: ${status}`))
  }

  /** One timer for the oldest deadline; deadlines are in log order as well. */
  #arm(): void {
    const ring = this.#flushed
    if (ring.count === 0) return
    const delayMs = Math.max(0, (ring.deadlines[ring.first] as number) - this.#clock.monotonic())
    this.#timer = this.#clock.setTimeout(() => this.#onDeadline(), Math.ceil(delayMs), { unref: true })
  }

  #onDeadline(): void {
    this.#timer = undefined
    const ring = this.#flushed
    const now = this.#clock.monotonic()
    while (ring.count > 0 && (ring.deadlines[ring.first] as number) <= now) {
      this.#answers.stored(ring, ring.first, ResponseCode.FLUSH_DISK_TIMEOUT)
      ring.dropFirst()
    }
    this.#arm()
  }
}
