import type { MessageQueue } from '@rocketmq-ts/model'
import type { Timer } from '@rocketmq-ts/runtime'
import type { ReceivedMessage } from '../consume/received-message.ts'

/** What keeps a queue's next pull from being sent. `waiting`: a timer will try again. */
export type PullState = 'idle' | 'pulling' | 'waiting' | 'blocked'

const initialCapacity = 64

/** What all queues of one consumer keep in memory together. */
export interface RetainedLedger {
  bytes: number
}

/**
 * The messages of one held queue between pull and commit, in offset order.
 *
 * ```text
 *   slots   . . [ d . d . m m m m ] . .      d: with a handler, '.': finished, m: not yet handed out
 *                 ^head     ^cursor ^tail    sequences; slot = sequence & mask
 * ```
 *
 * `head` is always an unfinished message (or equals `tail`), so the offset to commit is the offset at `head`: the smallest
 * unfinished one, in whatever order the handlers finish. Budget per message: three array accesses, nothing allocated.
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
  /** Called once when nothing is with a handler any more. */
  onDrained: (() => void) | undefined = undefined
  /** Where the next pull begins; everything below it was put here or filtered away. */
  nextOffset: number
  pullState: PullState = 'idle'
  /** Broker lock of orderly consumption, as far as this client knows. */
  locked = true
  lastLockAtMs: number
  tryUnlockTimes = 0
  lastPullAtMs: number
  lastConsumeAtMs: number
  /** Messages behind the newest one that was pulled, as of the last pull. */
  backlog = 0
  /** Pulls in a row that brought nothing, moved nothing and were answered at once. Owned by the puller. */
  idleAnswers = 0
  /** The timer of the `waiting` state. Owned by the puller. */
  timer: Timer | undefined = undefined
  /** True while the queue waits in a consume service's list of queues with work. Owned by that service. */
  isScheduled = false
  private readonly ledger: RetainedLedger
  private slots: (ReceivedMessage | undefined)[] = new Array(initialCapacity).fill(undefined)
  private head = 0
  private cursor = 0
  private tail = 0
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
    this.lastConsumeAtMs = options.nowMs
    this.lastLockAtMs = options.nowMs
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
    return this.head === this.tail ? 0 : this.lastOffset - this.slots[this.head & this.mask]!.queueOffset
  }

  /** True when {@link take} may give something. */
  get hasAvailable(): boolean {
    return this.cursor !== this.tail
  }

  /** Messages handed out and not finished. */
  get handedOutCount(): number {
    let count = 0
    for (let sequence = this.head; sequence !== this.cursor; sequence++) {
      if (this.slots[sequence & this.mask] !== undefined) count++
    }
    return count
  }

  /** Offset of the oldest unfinished message; undefined when there is none. */
  get firstOffset(): number | undefined {
    return this.slots[this.head & this.mask]?.queueOffset
  }

  /** Offset of the newest message ever put; -1 before the first. */
  get newestOffset(): number {
    return this.lastOffset
  }

  /** The oldest unfinished message. */
  get first(): ReceivedMessage | undefined {
    return this.slots[this.head & this.mask]
  }

  /** What the group may commit: the smallest unfinished offset, or where the next pull begins when all are finished. */
  get committableOffset(): number {
    return this.head === this.tail ? this.nextOffset : this.slots[this.head & this.mask]!.queueOffset
  }

  /**
   * Adds the messages of one pull in offset order. Those at or below the newest offset are ignored (a broker that answers
   * a pull twice must not have its messages handled twice). Returns how many were added.
   */
  put(messages: readonly ReceivedMessage[]): number {
    let added = 0
    for (const message of messages) {
      if (message.queueOffset <= this.lastOffset) continue
      if (this.tail - this.head > this.mask) this.grow()
      message.sequence = this.tail
      this.slots[this.tail & this.mask] = message
      this.lastOffset = message.queueOffset
      this.tail++
      added++
      const batch = message.batch
      if (batch.unfinished++ === 0) this.retain(batch.bytes)
    }
    this.unfinished += added
    return added
  }

  /** Hands out up to `limit` messages in offset order, each once (see {@link rewind}). */
  take(limit: number): ReceivedMessage[] {
    const taken: ReceivedMessage[] = []
    while (taken.length < limit) {
      const message = this.takeOne()
      if (message === undefined) break
      taken.push(message)
    }
    return taken
  }

  /** Hands out the next message; undefined when there is none. */
  takeOne(): ReceivedMessage | undefined {
    while (this.cursor !== this.tail) {
      const message = this.slots[this.cursor++ & this.mask]
      if (message !== undefined) return message
    }
    return undefined
  }

  /** Makes every unfinished message available again, in order: what an orderly consumer does after a failure. */
  rewind(): void {
    this.cursor = this.head
  }

  /** True while `message` is here and not finished. */
  contains(message: ReceivedMessage): boolean {
    return this.slots[message.sequence & this.mask] === message
  }

  /** Marks a message as finished. False when it was finished or expelled before. */
  finish(message: ReceivedMessage): boolean {
    const slot = message.sequence & this.mask
    if (this.slots[slot] !== message) return false
    this.slots[slot] = undefined
    this.unfinished--
    if (--message.batch.unfinished === 0) this.retain(-message.batch.bytes)
    if (message.sequence === this.head) {
      while (this.head !== this.tail && this.slots[this.head & this.mask] === undefined) this.head++
      if (this.cursor < this.head) this.cursor = this.head
    }
    if (this.isDraining && this.handedOutCount === 0) this.onDrained?.()
    return true
  }

  /** Forgets every message, for a queue that is dropped: late handlers find nothing to finish. */
  clear(): void {
    this.slots = new Array(initialCapacity).fill(undefined)
    this.head = this.cursor = this.tail
    this.unfinished = 0
    this.retain(-this.retained)
  }

  private retain(bytes: number): void {
    this.retained += bytes
    this.ledger.bytes += bytes
  }

  private get mask(): number {
    return this.slots.length - 1
  }

  private grow(): void {
    const next: (ReceivedMessage | undefined)[] = new Array(this.slots.length * 2).fill(undefined)
    const nextMask = next.length - 1
    for (let sequence = this.head; sequence !== this.tail; sequence++) {
      next[sequence & nextMask] = this.slots[sequence & this.mask]
    }
    this.slots = next
  }
}
