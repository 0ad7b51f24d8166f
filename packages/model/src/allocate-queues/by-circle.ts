import type { AllocateStrategy } from './strategy.ts'

/** Queue i goes to client i mod n. Source: AllocateMessageQueueAveragelyByCircle, 5.3.x. */
export const allocateByCircle: AllocateStrategy = {
  name: 'AVG_BY_CIRCLE',
  allocate(_group, clientId, queues, clientIds) {
    const index = clientIds.indexOf(clientId)
    if (index < 0) return []
    return queues.filter((_, i) => i % clientIds.length === index)
  },
}
