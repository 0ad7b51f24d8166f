import type { AllocateStrategy } from './strategy.ts'

/** Contiguous shares; the first clients get one queue more. Source: AllocateMessageQueueAveragely, 5.3.x. */
export const allocateAveragely: AllocateStrategy = {
  name: 'AVG',
  allocate(_group, clientId, queues, clientIds) {
    const index = clientIds.indexOf(clientId)
    if (index < 0) return []
    const share = Math.floor(queues.length / clientIds.length)
    const rest = queues.length % clientIds.length
    const start = index * share + Math.min(index, rest)
    return queues.slice(start, start + share + (index < rest ? 1 : 0))
  },
}
