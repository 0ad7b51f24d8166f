import { isRetryTopic, type MessageQueue, messageQueueKey } from '@rocketmq-ts/model'
import { ProcessQueue, type RetainedLedger } from './process-queue.ts'

/** The queues that one consumer holds. */
export class QueueTable {
  /** Bytes retained by all of them. */
  readonly ledger: RetainedLedger = { bytes: 0 }
  readonly #queues = new Map<string, ProcessQueue>()

  get size(): number {
    return this.#queues.size
  }

  get(key: string): ProcessQueue | undefined {
    return this.#queues.get(key)
  }

  values(): IterableIterator<ProcessQueue> {
    return this.#queues.values()
  }

  /** Starts holding `queue`; its first pull begins at `nextOffset`, which may be set later. Replaces nothing. */
  add(queue: MessageQueue, options: { nextOffset: number; nowMs: number }): ProcessQueue {
    const key = messageQueueKey(queue)
    const held = this.#queues.get(key)
    if (held !== undefined) return held
    const processQueue = new ProcessQueue(queue, key, {
      ...options,
      isRetry: isRetryTopic(queue.topic),
      ledger: this.ledger,
    })
    this.#queues.set(key, processQueue)
    return processQueue
  }

  /** Ends holding: the process queue is dropped and emptied. False when it was not held. */
  remove(processQueue: ProcessQueue): boolean {
    processQueue.dropped = true
    processQueue.timer?.cancel()
    processQueue.timer = undefined
    processQueue.clear()
    if (this.#queues.get(processQueue.key) !== processQueue) return false
    this.#queues.delete(processQueue.key)
    return true
  }
}
