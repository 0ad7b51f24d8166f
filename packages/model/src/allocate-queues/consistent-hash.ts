import { createHash } from 'node:crypto'
import { messageQueueText } from '../message-queue.ts'
import type { AllocateStrategy } from './strategy.ts'

/** Place of a key on the ring: the first four bytes of its MD5 as uint32. */
export function ringHash(key: string): number {
  return createHash('md5').update(key, 'utf8').digest().readUInt32BE(0)
}

interface RingNode {
  readonly hash: number
  readonly clientId: string
}

function buildRing(clientIds: readonly string[], virtualNodes: number): RingNode[] {
  const nodes = new Map<number, string>()
  for (const clientId of clientIds) {
    for (let i = 0; i < virtualNodes; i++) nodes.set(ringHash(`${clientId}-${i}`), clientId)
  }
  return Array.from(nodes, ([hash, clientId]) => ({ hash, clientId })).sort((a, b) => a.hash - b.hash)
}

/** The node at or after `hash`, the first one behind the end. */
function nodeAt(ring: readonly RingNode[], hash: number): RingNode | undefined {
  let low = 0
  let high = ring.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ring[middle]!.hash < hash) low = middle + 1
    else high = middle
  }
  return ring[low === ring.length ? 0 : low]
}

/**
 * Queues to the next client clockwise on a hash ring with `virtualNodes` points a client, so that few queues move when a
 * client comes or goes. Source: AllocateMessageQueueConsistentHash, 5.3.x.
 */
export function allocateByConsistentHash(virtualNodes = 10): AllocateStrategy {
  return {
    name: 'CONSISTENT_HASH',
    allocate(_group, clientId, queues, clientIds) {
      if (!clientIds.includes(clientId)) return []
      const ring = buildRing(clientIds, virtualNodes)
      return queues.filter(queue => nodeAt(ring, ringHash(messageQueueText(queue)))?.clientId === clientId)
    },
  }
}
