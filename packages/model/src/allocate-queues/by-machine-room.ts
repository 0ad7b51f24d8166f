import { javaSplit } from '../java-text.ts'
import type { MessageQueue } from '../message-queue.ts'
import type { AllocateStrategy } from './strategy.ts'

/**
 * Only queues of brokers named `room@name` for one of `rooms`: equal contiguous shares, then what is left one by one.
 * Source: AllocateMessageQueueByMachineRoom, 5.3.x.
 */
export function allocateByMachineRoom(rooms: Iterable<string>): AllocateStrategy {
  const roomSet = new Set(rooms)
  return {
    name: 'MACHINE_ROOM',
    allocate(_group, clientId, queues, clientIds) {
      const index = clientIds.indexOf(clientId)
      if (index < 0) return []
      const near = queues.filter(queue => {
        const parts = javaSplit(queue.brokerName, '@')
        return parts.length === 2 && roomSet.has(parts[0]!)
      })
      const share = Math.floor(near.length / clientIds.length)
      const result = near.slice(share * index, share * (index + 1))
      const extra = near[index + share * clientIds.length]
      if (index < near.length % clientIds.length && extra !== undefined) result.push(extra)
      return result
    },
  }
}

/** Tells in which machine room brokers and clients stand. */
export interface MachineRoomResolver {
  /** Not empty. */
  brokerRoom(queue: MessageQueue): string
  /** Not empty. */
  clientRoom(clientId: string): string
}
