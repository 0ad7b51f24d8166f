import { messageQueueKey } from '@rocketmq-ts/model'
import type { QueueOffset } from '../consume/consumer-registration.ts'
import type { OffsetStore } from '../offset-store/offset-store.ts'
import type { ProcessQueue } from '../process-queue/process-queue.ts'
import type { QueueTable } from '../process-queue/queue-table.ts'
import type { Rebalancer } from '../rebalance/rebalancer.ts'
import type { Puller } from './puller.ts'

/**
 * Moves the group's offsets as an operator asked: the held queues among them are dropped with all they have in memory,
 * their new offsets stored, and rebalancing takes them again from there. Handlers at work go on, but their results don't
 * count, so that none can move an offset back; therefore no rest is needed where Java sleeps ten seconds.
 * Source: MQClientInstance#resetOffset, 5.3.x
 */
export async function resetQueues(
  parts: {
    queues: QueueTable
    offsets: OffsetStore
    puller: Puller
    rebalancer: Rebalancer
    onGivenUp?(processQueue: ProcessQueue): void
  },
  topic: string,
  resets: readonly QueueOffset[],
): Promise<void> {
  const { queues, offsets, puller, rebalancer } = parts
  await rebalancer.pause()
  try {
    await Promise.all(
      resets.map(async ([queue, offset]) => {
        const key = messageQueueKey(queue)
        const processQueue = queue.topic === topic ? queues.get(key) : undefined
        if (processQueue === undefined) return
        puller.forget(processQueue)
        queues.remove(processQueue)
        parts.onGivenUp?.(processQueue)
        offsets.update(key, queue, offset, false)
        await offsets.persist(key, queue)
        offsets.remove(key)
      }),
    )
  } finally {
    rebalancer.resume()
  }
}
