import { assert } from '@rocketmq-ts/runtime'
import type { ConsumeQueue } from './consume-queue.ts'

/**
 * Writes the entries of many queues to their files, a slice of the queues at a time, oldest unwritten entry first.
 *
 * Queues wait in the order in which their first unwritten entry was appended, so the head tells what is surely written:
 * everything before {@link writtenBefore}.
 */
export class QueueWriter {
  /** A queue appears at most once; those written out of turn are skipped when they come up. */
  #waiting: ConsumeQueue[] = []
  #head = 0
  /** Told of each queue that was written. */
  onQueueWritten: (queue: ConsumeQueue) => void = () => {}
  /** Told when a queue that had to make room in memory couldn't write. */
  onFailure: (error: unknown) => void = () => {}

  /** Queues with entries that aren't in their file. */
  get waitingCount(): number {
    return this.#waiting.length - this.#head
  }

  add(queue: ConsumeQueue): void {
    this.#waiting.push(queue)
  }

  /** The oldest queue that waits. All entries of records before its `dirtySincePhysicalOffset` are written, in all queues. */
  oldest(): ConsumeQueue | undefined {
    return this.#waiting[this.#head]
  }

  /**
   * Writes up to `queueCount` queues, whose entries are all settled. Throws what the write throws; the failed queue stays at the head.
   */
  writeSome(queueCount: number): void {
    for (let i = 0; i < queueCount && this.#head < this.#waiting.length; i++) {
      const queue = this.#waiting[this.#head]!
      assert(queue.settledOffset === queue.nextOffset, 'queues are written between turns')
      queue.writeEntries()
      queue.ext?.writeUnits()
      this.#head++
      queue.isDirty = false
      queue.trim()
      this.onQueueWritten(queue)
    }
    this.#compact()
  }

  /** Writes all that is settled. */
  writeAll(): void {
    this.writeSome(this.waitingCount)
  }

  /** A removed queue is no longer written. */
  remove(queue: ConsumeQueue): void {
    const index = this.#waiting.indexOf(queue, this.#head)
    if (index >= 0) this.#waiting.splice(index, 1)
  }

  #compact(): void {
    if (this.#head < 1024 && this.#head < this.#waiting.length) return
    this.#waiting = this.#waiting.slice(this.#head)
    this.#head = 0
  }
}
