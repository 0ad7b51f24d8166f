import type { MessageQueue } from '@rocketmq-ts/model'
import type { Timer } from '@rocketmq-ts/runtime'
import type { PulledBatch } from '../consume/pulled-batch.ts'
import type { MessageClass, ReceivedMessage } from '../consume/received-message.ts'

/** What keeps a queue's next pull from being sent. `waiting`: a timer will try again. */
export type PullState = 'idle' | 'pulling' | 'waiting' | 'blocked'

/** A broker lock counts for so long after it was asked for. Source: ProcessQueue#REBALANCE_LOCK_MAX_LIVE_TIME, 5.3.x */
const lockTrustMs = 30_000

/** What all queues of one consumer keep in memory together. */
export interface RetainedLedger {
  bytes: number
}

/**
 * The messages of one held queue between pull and commit, in offset order, as the batches in which they were pulled.
 *
 * ```text
 *   batches   [ . d . d ] [ d d m m ] [ m m m m ]      d: with a handler, '.': finished, m: not yet handed out
 *                 ^first      ^cursor
 * ```
 *
 * The offset to commit is that of the first unfinished message, in whatever order the handlers finish. Nothing is allocated
 * per message while it waits.
 */
export class ProcessQueue {
  readonly queue: MessageQueue
  /** `messageQueueKey(queue)`: the key of every table of queues. */
  readonly key: string
  /** True for `%RETRY%group`. */
  readonly isRetry: boolean
  /** Set when the queue is given up (rebalance, reset, close): nothing is handed out or committed any more. */
  dropped = false
  /** Set while the queue is being given up: nothing is handed out any more, but handlers at work still count. */
  isDraining = false
  /** Set while its user wants no pulls for this queue. */
  isPaused = false
  /** Called once when nothing is with a handler any more. */
  onDrained: (() => void) | undefined = undefined
  /** Where the next pull begins; everything below it was put here or filtered away. */
  nextOffset: number
  pullState: PullState = 'idle'
  /** Broker lock of orderly consumption, as far as this client knows. */
  locked = true
  lastLockAtMs: number
  /** When the broker lock was asked for last, on the monotonic clock; infinite where no lock is needed. */
  lockedMs = Number.POSITIVE_INFINITY
  tryUnlockTimes = 0
  /** When the pull loop moved last, on the wall clock. */
  lastPullAtMs: number
  /** When messages were handed out last, on the monotonic clock; undefined before the first time. */
  lastConsumeMs: number | undefined = undefined
  /** Messages behind the newest one that was pulled, as of the last pull. */
  backlog = 0
  /** Pulls in a row that brought nothing, moved nothing and were answered at once. Owned by the puller. */
  idleAnswers = 0
  /** The timer of the `waiting` state. Owned by the puller. */
  timer: Timer | undefined = undefined
  /** True while the queue waits in a consume service's list of queues with work. Owned by that service. */
  isScheduled = false
  private readonly ledger: RetainedLedger
  /** Batches with unfinished messages among them, oldest first; the oldest always has one. */
  private batches: PulledBatch[] = []
  /** Where the next message to hand out is: a batch (position in `batches`) and a record of it. */
  private cursorBatch = 0
  private cursorIndex = 0
  private available = 0
  private lastOffset = -1
  private unfinished = 0
  private retained = 0

  constructor(
    queue: MessageQueue,
    key: string,
    options: { nextOffset: number; nowMs: number; isRetry: boolean; ledger: RetainedLedger },
  ) {
    this.queue = queue
    this.key = key
    this.isRetry = options.isRetry
    this.nextOffset = options.nextOffset
    this.ledger = options.ledger
    this.lastPullAtMs = options.nowMs
    this.lastLockAtMs = options.nowMs
  }

  /**
   * Whether this client may handle, pull and commit: always, or in orderly consumption while its lock counts.
   * Source: ProcessQueue#isLockExpired, 5.3.x
   */
  isOwned(nowMs: number): boolean {
    return this.locked && nowMs - this.lockedMs <= lockTrustMs
  }

  /** The broker lock was asked for at `askedMs` (monotonic) and granted at `wallMs`. */
  lockedAt(askedMs: number, wallMs: number): void {
    this.locked = true
    this.lockedMs = askedMs
    this.lastLockAtMs = wallMs
  }

  /** Messages that are not finished, those with a handler included. */
  get messageCount(): number {
    return this.unfinished
  }

  /**
   * Bytes that the unfinished messages keep in memory: a pull's answer counts whole until its last message is finished,
   * because its messages are slices of it.
   */
  get retainedBytes(): number {
    return this.retained
  }

  /** Distance in offsets between the oldest and the newest unfinished message. */
  get span(): number {
    const first = this.firstOffset
    return first === undefined ? 0 : this.lastOffset - first
  }

  /** True when {@link take} would give something. */
  get hasAvailable(): boolean {
    return this.available > 0
  }

  /** Messages handed out and not finished. */
  get handedOutCount(): number {
    return this.unfinished - this.available
  }

  /** Offset of the oldest unfinished message; undefined when there is none. */
  get firstOffset(): number | undefined {
    const batch = this.batches[0]
    return batch?.offsetAt(batch.firstUnfinished)
  }

  /** Offset of the newest message ever put; -1 before the first. */
  get newestOffset(): number {
    return this.lastOffset
  }

  /** What the group may commit: the smallest unfinished offset, or where the next pull begins when all are finished. */
  get committableOffset(): number {
    return this.firstOffset ?? this.nextOffset
  }

  /**
   * Adds what one pull brought. Messages at or below the newest offset are ignored (a broker that answers a pull twice must
   * not have its messages handled twice). Returns how many were added.
   */
  put(batch: PulledBatch): number {
    let newest = this.lastOffset
    batch.keep(index => {
      const offset = batch.offsetAt(index)
      if (offset <= newest) return false
      newest = offset
      return true
    })
    if (batch.count === 0) return 0
    this.lastOffset = newest
    batch.isHeld = true
    this.batches.push(batch)
    this.unfinished += batch.count
    this.available += batch.count
    this.retain(batch.bytes)
    return batch.count
  }

  /** Hands out the next message, each once, in offset order; undefined when there is none. */
  takeOne<M extends ReceivedMessage>(messageClass: MessageClass<M>): M | undefined {
    if (this.available === 0) return undefined
    while (this.cursorIndex === this.batches[this.cursorBatch]!.count) {
      this.cursorBatch++
      this.cursorIndex = 0
    }
    this.available--
    return new messageClass(this.batches[this.cursorBatch]!, this.cursorIndex++)
  }

  /** Hands out up to `limit` messages. */
  take<M extends ReceivedMessage>(limit: number, messageClass: MessageClass<M>): M[] {
    const taken: M[] = []
    while (this.available > 0 && taken.length < limit) taken.push(this.takeOne(messageClass)!)
    return taken
  }

  /** True while `message` is here and not finished. */
  contains(message: ReceivedMessage): boolean {
    return message.batch.isHeld && message.batch.finished[message.index] === 0
  }

  /** Marks a message that was handed out as finished. False when it was finished or expelled before. */
  finish(message: ReceivedMessage): boolean {
    const { batch } = message
    if (!batch.isHeld || !batch.finish(message.index)) return false
    this.unfinished--
    if (batch.unfinished === 0) {
      this.retain(-batch.bytes)
      batch.release()
      this.dropFinishedBatches()
    }
    if (this.isDraining && this.handedOutCount === 0) this.onDrained?.()
    return true
  }

  /** Forgets every message, for a queue that is dropped: late handlers find nothing to finish. */
  clear(): void {
    for (const batch of this.batches) batch.release()
    this.batches = []
    this.cursorBatch = 0
    this.cursorIndex = 0
    this.unfinished = 0
    this.available = 0
    this.retain(-this.retained)
  }

  private dropFinishedBatches(): void {
    let done = 0
    while (done < this.batches.length && this.batches[done]!.unfinished === 0) done++
    if (done === 0) return
    this.batches.splice(0, done)
    this.cursorBatch -= done
    if (this.cursorBatch >= 0) return
    this.cursorBatch = 0
    this.cursorIndex = 0
  }

  private retain(bytes: number): void {
    this.retained += bytes
    this.ledger.bytes += bytes
  }
}
