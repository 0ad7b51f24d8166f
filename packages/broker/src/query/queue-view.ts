import type { AnyQueue, ConsumeQueue, MessageStore } from '@rocketmq-ts/store'
import { EntryReader, entryPhysicalOffset, entrySize, entryTagsHigh, entryTagsLow } from '@rocketmq-ts/store/internal'
import type { QueueEntry, QueueView } from './consume-queue-handler.ts'

/** Shows the queues of a store, from memory where the entries are there, else from their files. */
export function queueViews(
  store: Pick<MessageStore, 'queue'>,
): (topic: string, queueId: number) => QueueView | undefined {
  return (topic, queueId) => {
    const queue = store.queue(topic, queueId)
    return queue === undefined ? undefined : viewOf(queue)
  }
}

function viewOf(queue: AnyQueue): QueueView {
  const { minOffset, maxOffset } = queue
  const isBatch = !('recentStart' in queue)
  return {
    minOffset,
    maxOffset,
    read: (offset, count) => (isBatch ? batchEntries(queue, offset, count) : plainEntries(queue, offset, count)),
  }
}

async function plainEntries(queue: ConsumeQueue, offset: number, count: number): Promise<QueueEntry[]> {
  // One of its own: what an administrator looks at must not push out what consumers are reading.
  const reader = new EntryReader()
  const entries: QueueEntry[] = []
  while (entries.length < count) {
    const window = await reader.window(queue, offset + entries.length)
    const taken = Math.min(window.count, count - entries.length)
    if (taken <= 0) break
    for (let index = window.first; index < window.first + taken; index++) {
      entries.push({
        physicalOffset: entryPhysicalOffset(window.ints, index),
        size: entrySize(window.ints, index),
        tagsCode: int64Of(entryTagsHigh(window.ints, index), entryTagsLow(window.ints, index)),
      })
    }
  }
  return entries
}

/** Of a batch queue an entry stands for several messages; each is shown once. */
function batchEntries(queue: Exclude<AnyQueue, ConsumeQueue>, offset: number, count: number): QueueEntry[] {
  const entries: QueueEntry[] = []
  let index = queue.entryIndexOf(offset)
  while (index >= 0) {
    const entry = queue.entryAt(index)
    if (entry === undefined || entry.baseOffset >= offset + count) break
    const { physicalOffset, size, tagsHigh, tagsLow } = entry
    entries.push({ physicalOffset, size, tagsCode: int64Of(tagsHigh, tagsLow) })
    index++
  }
  return entries
}

function int64Of(high: number, low: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low >>> 0)
}
