import type { MessageQueue } from '@rocketmq-ts/model'

/**
 * Where a consumer keeps its progress. Updates go to memory at once; `persist` carries them to the broker or the file.
 * Offsets are those of the next message to consume.
 */
export interface OffsetStore {
  /** Reads what must be read before the first use. Rejects when progress exists and can't be read. */
  load(): Promise<void>
  /** Sets the offset in memory; with `increaseOnly` a smaller one is ignored. A frozen queue ignores it. For hot paths. */
  update(key: string, queue: MessageQueue, offset: number, increaseOnly: boolean): void
  /** Sets the offset and refuses updates until the queue is removed: what a broker's correction needs. */
  updateAndFreeze(key: string, queue: MessageQueue, offset: number): void
  /** Offset in memory; undefined when there is none. */
  memory(key: string): number | undefined
  /** The stored offset, also put into memory; undefined when the group has none. Rejects when it can't be asked. */
  stored(key: string, queue: MessageQueue): Promise<number | undefined>
  /**
   * Carries the offsets of `queues` over and forgets all others. Resolves when the broker has answered or the file is
   * written if `confirmed`, else when the requests are on their way. Never rejects: failures are logged, the next round
   * tries again.
   */
  persistAll(queues: Iterable<MessageQueue>, options?: { confirmed?: boolean }): Promise<void>
  /** The same for one queue, confirmed. */
  persist(key: string, queue: MessageQueue): Promise<void>
  /** Forgets what memory holds of a queue. */
  remove(key: string): void
}
