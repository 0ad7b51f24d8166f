import { RocketMqError } from '@rocketmq-ts/runtime'
import type { MessageQueue } from '../message-queue.ts'
import type { MachineRoomResolver } from './by-machine-room.ts'
import type { AllocateStrategy } from './strategy.ts'

function groupBy<T>(items: readonly T[], roomOf: (item: T) => string, what: string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const room = roomOf(item)
    if (room === '')
      throw new RocketMqError('INVALID_ARGUMENT', `Machine room is null for ${what} ${JSON.stringify(item)}`)
    const group = groups.get(room)
    if (group === undefined) groups.set(room, [item])
    else group.push(item)
  }
  return groups
}

/**
 * Queues of a room to the clients of that room by the `inner` rule; queues of rooms without clients to all clients.
 * `allocate` throws INVALID_ARGUMENT when a room is not known. Source: AllocateMachineRoomNearby, 5.3.x.
 */
export function allocateMachineRoomNearby(inner: AllocateStrategy, resolver: MachineRoomResolver): AllocateStrategy {
  return {
    name: `MACHINE_ROOM_NEARBY-${inner.name}`,
    allocate(group, clientId, queues, clientIds) {
      if (!clientIds.includes(clientId)) return []
      const queuesByRoom = groupBy<MessageQueue>(queues, queue => resolver.brokerRoom(queue), 'mq')
      const clientsByRoom = groupBy(clientIds, id => resolver.clientRoom(id), 'consumer id')
      const ownRoom = resolver.clientRoom(clientId)
      const own = queuesByRoom.get(ownRoom)
      const result = own === undefined ? [] : inner.allocate(group, clientId, own, clientsByRoom.get(ownRoom) ?? [])
      for (const room of [...queuesByRoom.keys()].sort()) {
        if (clientsByRoom.has(room)) continue
        result.push(...inner.allocate(group, clientId, queuesByRoom.get(room)!, clientIds))
      }
      return result
    },
  }
}
