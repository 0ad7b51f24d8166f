import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeStoredMessage } from '@rocketmq-ts/model'
import { seededRandom, TurnScheduler } from '@rocketmq-ts/runtime'
import type { MessageStore } from '@rocketmq-ts/store'
import { SimClock, SimDisk } from '@rocketmq-ts/testing'
import { openStore, readQueue, recordOf } from './support/open-store.ts'

interface Life {
  readonly clock: SimClock
  readonly store: MessageStore
}

async function open(disk: SimDisk, startMs?: number): Promise<Life> {
  const clock = new SimClock(startMs)
  return { clock, store: await openStore('/store', { disk, clock, turn: new TurnScheduler(clock) }) }
}

function newDisk(): SimDisk {
  return new SimDisk({ random: seededRandom(1), now: () => 0 })
}

function send({ clock, store }: Life, topic: string, bodies: readonly string[]): void {
  for (const body of bodies) store.append(recordOf({ topic, body: Buffer.from(body) }))
  clock.runImmediates()
}

async function bodiesOf({ store }: Life, topic: string): Promise<string[]> {
  return (await readQueue(store, topic, 0, 0)).map(record => decodeStoredMessage(record).body.toString())
}

describe('a topic that was deleted', () => {
  it('stays deleted when the process is killed at once', async () => {
    const disk = newDisk()
    const first = await open(disk)
    send(first, 'Gone', ['a', 'b'])
    send(first, 'Kept', ['c'])
    first.store.deleteTopic('Gone')
    disk.restart()
    const next = await open(disk)
    assert.equal(next.store.queue('Gone', 0), undefined)
    assert.deepEqual(await bodiesOf(next, 'Kept'), ['c'])
  })

  it('and made again keeps its new messages only, also when all queues are built anew from the log', async () => {
    const disk = newDisk()
    const first = await open(disk)
    send(first, 'T', ['old 0', 'old 1', 'old 2'])
    first.store.deleteTopic('T')
    send(first, 'T', ['new 0', 'new 1'])
    first.clock.advance(2000)
    disk.restart()
    // As after a loss of the queues: the log alone is left.
    disk.removeDirectory('/store/consumequeue')
    disk.removeFile('/store/checkpoint')
    const next = await open(disk)
    assert.deepEqual(await bodiesOf(next, 'T'), ['new 0', 'new 1'])
    assert.equal(next.store.append(recordOf({ topic: 'T' })).queueOffset, 2)
  })
})

describe('queues of which a part is missing', () => {
  it('are built anew when messages beyond the gap are found, each with its own number', async () => {
    const disk = newDisk()
    const first = await open(disk)
    const bodies = Array.from({ length: 250 }, (_, index) => `m${index}`)
    send(first, 'T', bodies.slice(0, 240))
    first.clock.advance(2000)
    await first.clock.settle()
    send(first, 'T', bodies.slice(240))
    disk.restart()
    // The second file of the queue, which the checkpoint says is written.
    disk.removeFile('/store/consumequeue/T/0/00000000000000002000')
    disk.removeFile('/store/consumequeue/T/0/00000000000000004000')
    const next = await open(disk)
    assert.deepEqual(await bodiesOf(next, 'T'), bodies)
    assert.equal(next.store.minOffset('T', 0), 0)
  })

  for (const how of ['a kill', 'a clean stop'] as const) {
    for (const lost of ['consumequeue', 'consumequeue/T', 'consumequeue/T/0/00000000000000000000', 'index'] as const) {
      it(`are built anew from the log when ${lost} is removed after ${how}`, async () => {
        const disk = newDisk()
        const first = await open(disk)
        send(first, 'T', ['a', 'b'])
        send(first, 'Other', ['c'])
        const uniqueKey = 'key of d'
        const properties = `UNIQ_KEY\u0001${uniqueKey}\u0002`
        first.store.append(recordOf({ topic: 'T', body: Buffer.from('d'), uniqueKey, properties }))
        // Long enough for everything to be written, slots of the index included.
        for (let i = 0; i < 30; i++) {
          first.clock.advance(1000)
          await first.clock.settle()
        }
        if (how === 'a clean stop') {
          const closing = first.store.close()
          await first.clock.settle()
          await closing
        }
        disk.restart()
        disk.removeDirectory(`/store/${lost}`)
        const next = await open(disk)
        assert.deepEqual(await bodiesOf(next, 'T'), ['a', 'b', 'd'])
        assert.deepEqual(await bodiesOf(next, 'Other'), ['c'])
        const found = await next.store.queryIndex('T', 'key of d', 9, 0, 2 ** 52, true)
        assert.equal(found.records.length, 1)
      })
    }
  }
})
