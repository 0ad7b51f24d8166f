import { type Clock, type Deferred, deferred } from '@rocketmq-ts/runtime'
import { ReceivedMessage } from '../consume/received-message.ts'
import type { ProcessQueue } from '../process-queue/process-queue.ts'

/** How far the user of a lite pull consumer is in one queue. */
interface Progress {
  /** Everything below was handed out, or filtered away. */
  delivered: number
  /** Everything below was handed out before more was asked for: its user is done with it. */
  consumed: number
}

/**
 * Hands pulled messages to whoever polls, queues in turn, and knows how far each queue is. Whoever asks for more is done with
 * what it got before. Source: DefaultLitePullConsumerImpl#poll, AssignedMessageQueue, 5.3.x
 */
export class Delivery {
  readonly #clock: Clock
  readonly #onTaken: (processQueue: ProcessQueue) => void
  readonly #progress = new Map<string, Progress>()
  #ready: ProcessQueue[] = []
  #waiter: Deferred<void> | undefined

  constructor(clock: Clock, onTaken: (processQueue: ProcessQueue) => void) {
    this.#clock = clock
    this.#onTaken = onTaken
  }

  /** New messages are in `processQueue`. */
  ready(processQueue: ProcessQueue): void {
    if (processQueue.isScheduled || processQueue.dropped || !processQueue.hasAvailable) return
    processQueue.isScheduled = true
    this.#ready.push(processQueue)
    this.#waiter?.resolve()
  }

  /** Everything handed out so far is done. */
  settle(): void {
    for (const progress of this.#progress.values()) progress.consumed = progress.delivered
  }

  /** Up to `maxCount` messages that are here. */
  take(maxCount: number): ReceivedMessage[] {
    const taken: ReceivedMessage[] = []
    while (taken.length < maxCount) {
      const processQueue = this.#ready.shift()
      if (processQueue === undefined) break
      processQueue.isScheduled = false
      if (processQueue.dropped || processQueue.isDraining) continue
      const messages = processQueue.take(maxCount - taken.length, ReceivedMessage)
      for (const message of messages) {
        // What was handed out no longer counts against the limits: its bytes are the user's.
        processQueue.finish(message)
        taken.push(message)
      }
      const last = messages.at(-1)
      if (last !== undefined) this.advance(processQueue.key, last.queueOffset + 1)
      this.ready(processQueue)
      this.#onTaken(processQueue)
    }
    return taken
  }

  /** Waits until there may be something to take; `timeoutMs` at most, without end if undefined. */
  async wait(timeoutMs: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    const waiter = deferred()
    const onAbort = () => waiter.resolve()
    this.#waiter = waiter
    const timer = timeoutMs === undefined ? undefined : this.#clock.setTimeout(waiter.resolve, timeoutMs)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) waiter.resolve()
    await waiter.promise
    this.#waiter = undefined
    timer?.cancel()
    signal?.removeEventListener('abort', onAbort)
  }

  /** Ends a wait. */
  stop(): void {
    this.#waiter?.resolve()
  }

  /** Everything of the queue below `offset` was handed out or filtered away. */
  advance(key: string, offset: number): void {
    const progress = this.#progress.get(key)
    if (progress === undefined) this.#progress.set(key, { delivered: offset, consumed: -1 })
    else if (offset > progress.delivered) progress.delivered = offset
  }

  /** The queue is read from `offset` on. */
  moveTo(key: string, offset: number): void {
    this.#progress.set(key, { delivered: offset, consumed: offset })
  }

  /** What may be committed of a queue: what was handed out, or only what its user is done with. Undefined: nothing. */
  committable(key: string, of: 'delivered' | 'consumed'): number | undefined {
    const offset = this.#progress.get(key)?.[of]
    return offset === undefined || offset < 0 ? undefined : offset
  }

  /** The queue was given up. */
  forget(key: string): void {
    this.#progress.delete(key)
  }
}
