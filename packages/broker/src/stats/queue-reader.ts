/** What the statistics need to know of queues; the message store has it. Unknown offsets and times are -1. */
export interface QueueReader {
  minOffset(topic: string, queueId: number): number
  maxOffset(topic: string, queueId: number): number
  /** When the message at `offset` was stored, ms. A promise when the disk must be asked. */
  storeTimeOf(topic: string, queueId: number, offset: number): number | Promise<number>
}

/** When the newest message of a queue was stored; 0 for an empty queue, as Java has it. */
export async function timeOfLast(store: QueueReader, topic: string, queueId: number): Promise<number> {
  const max = store.maxOffset(topic, queueId)
  return max > 0 ? store.storeTimeOf(topic, queueId, max - 1) : 0
}

/** When the oldest message of a queue was stored; -1 for an empty queue. */
export async function earliestTimeOf(store: QueueReader, topic: string, queueId: number): Promise<number> {
  const min = store.minOffset(topic, queueId)
  return min >= 0 && min < store.maxOffset(topic, queueId) ? store.storeTimeOf(topic, queueId, min) : -1
}
