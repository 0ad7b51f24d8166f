import { queryConsumeQueue, queryConsumeQueueResponseBody, ResponseCode } from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { ConsumerGroups } from '../client/consumer-groups.ts'
import { unsetRemark } from '../remarks.ts'

/** Most entries in one answer: what Java's clients ask for, many times over, and 10 MB of text. */
const entriesMax = 65_536

/** One entry of a consume queue. */
export interface QueueEntry {
  readonly physicalOffset: number
  readonly size: number
  /** All 64 bits: the tag's hash, a delivery time, or an address in the queue's extension. */
  readonly tagsCode: bigint
}

/** A consume queue as an administrator sees it. */
export interface QueueView {
  readonly minOffset: number
  readonly maxOffset: number
  /** At most `count` entries from `offset` on, which lies within the bounds. */
  read(offset: number, count: number): readonly QueueEntry[] | Promise<readonly QueueEntry[]>
}

/**
 * Shows entries of a consume queue and what a group subscribes to of its topic.
 * Source: AdminBrokerProcessor#queryConsumeQueue, 5.3.x
 */
export function registerConsumeQueueQuery(
  router: Router,
  deps: { consumers: ConsumerGroups; queue: (topic: string, queueId: number) => QueueView | undefined },
): void {
  router.handle(queryConsumeQueue, async ({ header }) => {
    const { topic = '', queueId, index, count, consumerGroup } = header
    const queue = deps.queue(topic, queueId)
    if (queue === undefined) return { code: ResponseCode.SYSTEM_ERROR, remark: `${queueId}@${topic} is not exist!` }
    if (index < queue.minOffset || index >= queue.maxOffset) {
      return { remark: `Index ${index} of ${queueId}@${topic} is not exist!` }
    }
    const subscriptionData =
      consumerGroup === undefined ? undefined : deps.consumers.get(consumerGroup)?.subscriptionOf(topic)?.data
    const entries = await queue.read(index, Math.max(0, Math.min(count, entriesMax, queue.maxOffset - index)))
    const body = queryConsumeQueueResponseBody.encode({
      ...(subscriptionData === undefined ? {} : { subscriptionData }),
      ...filterDataOf(consumerGroup, topic, subscriptionData !== undefined),
      minQueueIndex: queue.minOffset,
      maxQueueIndex: queue.maxOffset,
      queueData: entries.map(entry => ({
        physicOffset: entry.physicalOffset,
        physicSize: entry.size,
        tagsCode: entry.tagsCode,
        eval: false,
      })),
    })
    return { remark: unsetRemark, body }
  })
}

/** Why nothing was filtered: nobody asked, the group isn't there, or it filters by tags alone ("null"). */
function filterDataOf(group: string | undefined, topic: string, isOnline: boolean): { filterData?: string } {
  if (group === undefined) return {}
  return { filterData: isOnline ? 'null' : `${group}@${topic} is not online!` }
}
