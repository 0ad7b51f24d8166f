import type { MessageQueue } from '../message-queue.ts'
import type { AllocateStrategy } from './strategy.ts'

/**
 * The broker's answer to a POP client that asks for its queues. With `shareCount` 0, or so large that everybody would
 * share with everybody, each client pops from all queues of each broker (queue id -1). Else a client gets its own share
 * and those of the `shareCount` clients after it; with more clients than queues, each gets one.
 * Source: QueryAssignmentProcessor#allocate4Pop, 5.3.x.
 */
export function allocateForPop(
  strategy: AllocateStrategy,
  group: string,
  clientId: string,
  queues: readonly MessageQueue[],
  clientIds: readonly string[],
  shareCount: number,
): MessageQueue[] {
  if (shareCount <= 0 || shareCount >= clientIds.length - 1) {
    return queues.map(({ topic, brokerName }) => ({ topic, brokerName, queueId: -1 }))
  }
  const index = clientIds.indexOf(clientId)
  if (clientIds.length > queues.length) return index < 0 ? [] : [queues[index % queues.length]!].filter(Boolean)
  const result = strategy.allocate(group, clientId, queues, clientIds)
  if (index < 0) return result
  for (let i = 1; i <= shareCount; i++) {
    const follower = clientIds[(index + i) % clientIds.length]!
    result.push(...strategy.allocate(group, follower, queues, clientIds))
  }
  return result
}
