import type { MessageQueue } from '../message-queue.ts'
import type { AllocateStrategy } from './strategy.ts'

/** Always the queues given, whatever the input. Source: AllocateMessageQueueByConfig, 5.3.x. */
export function allocateByConfig(queues: readonly MessageQueue[]): AllocateStrategy {
  return { name: 'CONFIG', allocate: () => [...queues] }
}
