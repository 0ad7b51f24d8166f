import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type AllocateStrategy,
  allocateAveragely,
  allocateByCircle,
  allocateByConfig,
  allocateByConsistentHash,
  allocateByMachineRoom,
  allocateForPop,
  allocateMachineRoomNearby,
  compareMessageQueues,
  type MachineRoomResolver,
  type MessageQueue,
  messageQueueKey,
  messageQueuesEqual,
  ringHash,
} from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'
import fc from 'fast-check'
import { goldenVectors, type Vector } from '../golden.ts'

interface AllocationVector extends Vector {
  readonly strategy?: string
  readonly topic?: string
  readonly virtualNodes?: number
  readonly rooms?: readonly string[]
  readonly configured?: readonly string[] | null
  readonly popShareQueueNum?: number
  readonly queues: readonly string[]
  readonly clients: readonly string[]
  readonly result: Record<string, readonly string[] | null>
  readonly values?: readonly { key: string; hash: number }[]
}

const beforeDash = (text: string) => text.slice(0, text.indexOf('-'))
const byDash: MachineRoomResolver = {
  brokerRoom: queue => beforeDash(queue.brokerName),
  clientRoom: beforeDash,
}

function queueOf(text: string, topic: string): MessageQueue {
  const at = text.lastIndexOf(':')
  return { topic, brokerName: text.slice(0, at), queueId: Number(text.slice(at + 1)) }
}

function strategyOf(name: string, vector: AllocationVector, topic: string): AllocateStrategy {
  switch (name) {
    case 'AVG':
      return allocateAveragely
    case 'AVG_BY_CIRCLE':
      return allocateByCircle
    case 'CONSISTENT_HASH':
      return allocateByConsistentHash(vector.virtualNodes)
    case 'MACHINE_ROOM':
      return allocateByMachineRoom(vector.rooms!)
    case 'CONFIG':
      return allocateByConfig((vector.configured ?? []).map(text => queueOf(text, topic)))
    default:
      assert.match(name, /^MACHINE_ROOM_NEARBY-/)
      return allocateMachineRoomNearby(strategyOf(name.slice('MACHINE_ROOM_NEARBY-'.length), vector, topic), byDash)
  }
}

describe('golden allocations', () => {
  for (const vector of goldenVectors<AllocationVector>('allocation.json')) {
    if (vector.values !== undefined) {
      test('ring hashes are as in Java', () => {
        for (const { key, hash } of vector.values!) assert.equal(ringHash(key), hash)
      })
      continue
    }
    test(`${vector.name} is shared out as Java does`, () => {
      const topic = vector.topic ?? 'TopicGolden'
      const queues = vector.queues.map(text => queueOf(text, topic))
      const isPop = vector.popShareQueueNum !== undefined
      const strategy = isPop ? allocateAveragely : strategyOf(vector.strategy!, vector, topic)
      if (!isPop) assert.equal(strategy.name, vector.strategy)
      for (const [client, expected] of Object.entries(vector.result)) {
        const actual = isPop
          ? allocateForPop(strategy, 'G', client, queues, vector.clients, vector.popShareQueueNum!)
          : strategy.allocate('G', client, queues, vector.clients)
        assert.deepEqual(
          actual.map(queue => `${queue.brokerName}:${queue.queueId}`),
          // Java's list that was never set is null; here it is empty.
          expected ?? [],
        )
      }
    })
  }
})

describe('strategies', () => {
  const input = fc.record({
    queues: fc.nat(40).map(count => Array.from({ length: count }, (_, i) => queueOf(`r${i % 3}-b:${i}`, 'T'))),
    clients: fc
      .integer({ min: 1, max: 12 })
      .map(count => Array.from({ length: count }, (_, i) => `r${i % 4}-c${i}`).sort()),
  })
  const complete = [
    allocateAveragely,
    allocateByCircle,
    allocateByConsistentHash(),
    allocateMachineRoomNearby(allocateAveragely, byDash),
    allocateMachineRoomNearby(allocateByConsistentHash(), byDash),
  ]

  for (const strategy of complete) {
    test(`${strategy.name} gives every queue to exactly one client`, () => {
      fc.assert(
        fc.property(input, ({ queues, clients }) => {
          const given = clients.flatMap(client => strategy.allocate('G', client, queues, clients).map(messageQueueKey))
          assert.deepEqual(given.sort(), queues.map(messageQueueKey).sort())
        }),
        { seed: 21, numRuns: 60 },
      )
    })

    test(`${strategy.name} gives nothing to a client that is not in the list, nor to anybody of no queues`, () => {
      assert.deepEqual(strategy.allocate('G', 'r0-x', [queueOf('r0-b:0', 'T')], ['r0-c0']), [])
      assert.deepEqual(strategy.allocate('G', 'r0-x', [queueOf('r0-b:0', 'T')], []), [])
      assert.deepEqual(strategy.allocate('G', 'r0-c0', [], ['r0-c0']), [])
    })
  }

  test('consistent hashing moves only the queues of a client that leaves', () => {
    const queues = Array.from({ length: 64 }, (_, i) => queueOf(`b:${i}`, 'T'))
    const strategy = allocateByConsistentHash()
    const before = ['a', 'b', 'c', 'd']
    const after = ['a', 'b', 'd']
    for (const client of after) {
      const kept = new Set(strategy.allocate('G', client, queues, after).map(messageQueueKey))
      for (const queue of strategy.allocate('G', client, queues, before)) assert.ok(kept.has(messageQueueKey(queue)))
    }
  })

  test('a broker in no room is an error, not a lost queue', () => {
    const nearby = allocateMachineRoomNearby(allocateAveragely, { brokerRoom: () => '', clientRoom: () => 'r' })
    assert.throws(
      () => nearby.allocate('G', 'c', [queueOf('b:0', 'T')], ['c']),
      (error: unknown) => RocketMqError.is(error) && error.code === 'INVALID_ARGUMENT',
    )
  })

  test('POP clients that share with two others get no queue twice while there are clients enough', () => {
    const queues = Array.from({ length: 8 }, (_, i) => queueOf(`b:${i}`, 'T'))
    const clients = ['a', 'b', 'c', 'd', 'e']
    const own = allocateForPop(allocateAveragely, 'G', 'e', queues, clients, 2).map(messageQueueKey)
    assert.equal(new Set(own).size, own.length)
    assert.deepEqual(allocateForPop(allocateAveragely, 'G', 'x', queues, clients, 2), [])
    assert.deepEqual(allocateForPop(allocateAveragely, 'G', 'x', queues.slice(0, 2), clients, 2), [])
    assert.deepEqual(allocateForPop(allocateAveragely, 'G', 'a', [], clients, 2), [])
  })
})

describe('message queues', () => {
  test('are ordered by topic, broker and id, ids as numbers', () => {
    const queues = ['b:10', 'b:9', 'a:11'].map(text => queueOf(text, 'T2')).concat(queueOf('z:0', 'T1'))
    assert.deepEqual(queues.sort(compareMessageQueues).map(messageQueueKey), ['T1@z@0', 'T2@a@11', 'T2@b@9', 'T2@b@10'])
  })

  test('are equal by all three parts', () => {
    const queue = queueOf('b:1', 'T')
    assert.ok(messageQueuesEqual(queue, { ...queue }))
    for (const other of [{ topic: 'U' }, { brokerName: 'c' }, { queueId: 2 }]) {
      assert.ok(!messageQueuesEqual(queue, { ...queue, ...other }))
    }
  })
})
