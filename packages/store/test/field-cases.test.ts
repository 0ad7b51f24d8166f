import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { decodeStoredMessage } from '@rocketmq-ts/model'
import { RocketMqError, seededRandom, TurnScheduler } from '@rocketmq-ts/runtime'
import type { MessageStore, StoreOptions } from '@rocketmq-ts/store'
import { SimClock, SimDisk } from '@rocketmq-ts/testing'
import { openStore, readQueue, recordOf } from './support/open-store.ts'

interface Bench {
  readonly clock: SimClock
  readonly disk: SimDisk
  readonly store: MessageStore
}

async function openBench(t: TestContext, last?: Bench, options: Partial<StoreOptions> = {}): Promise<Bench> {
  const clock = new SimClock(last === undefined ? undefined : last.clock.now() + 1000)
  const disk = last?.disk ?? new SimDisk({ random: seededRandom(1), now: () => clock.now() })
  const store = await openStore('/store', { disk, clock, turn: new TurnScheduler(clock), options })
  t.after(async () => {
    const closing = store.close()
    await clock.settle()
    await closing
  })
  return { clock, disk, store }
}

function put(bench: Bench, topic: string, body: string): number {
  const result = bench.store.append(recordOf({ topic, body: Buffer.from(body), keys: 'key' }))
  assert.equal(result.status, 'PUT_OK')
  bench.clock.runImmediates()
  return result.queueOffset
}

const bodiesOf = async (store: MessageStore, topic: string) =>
  (await readQueue(store, topic, 0, 0)).map(record => decodeStoredMessage(record).body.toString())

describe('a topic that was deleted and made again (case R65)', () => {
  const ends: [string, (disk: SimDisk) => void][] = [
    ['a kill', disk => disk.restart()],
    ['power loss', disk => disk.restartAfterPowerLoss()],
    [
      'a kill and the loss of all queues',
      disk => {
        disk.restart()
        disk.removeDirectory('/store/consumequeue')
      },
    ],
  ]
  for (const [end, restart] of ends) {
    for (const isSettled of [false, true]) {
      it(`has only its new messages after ${end}${isSettled ? ', long after' : ''}`, async t => {
        const bench = await openBench(t, undefined, { flushDiskType: 'SYNC_FLUSH' })
        const pass = async () => {
          bench.clock.advance(isSettled ? 70_000 : 0)
          await bench.clock.settle()
        }
        put(bench, 'T', 'old 0')
        put(bench, 'T', 'old 1')
        put(bench, 'U', 'other')
        await pass()
        bench.store.deleteTopic('T')
        await pass()
        assert.equal(put(bench, 'T', 'new'), 0)
        await pass()
        restart(bench.disk)
        const next = await openBench(t, bench)
        assert.deepEqual(await bodiesOf(next.store, 'T'), ['new'])
        assert.equal(next.store.maxOffset('T', 0), 1)
        assert.deepEqual(await bodiesOf(next.store, 'U'), ['other'])
        assert.equal(put(next, 'T', 'newer'), 1)
      })
    }
  }
})

describe('consume queues that somebody has removed', () => {
  for (const isClean of [true, false]) {
    it(`are built again at the start after ${isClean ? 'a clean stop' : 'a kill'}`, async t => {
      const bench = await openBench(t)
      for (let i = 0; i < 5; i++) put(bench, i % 2 === 0 ? 'T' : 'U', `m${i}`)
      bench.clock.advance(70_000)
      await bench.clock.settle()
      if (isClean) {
        const closing = bench.store.close()
        await bench.clock.settle()
        await closing
      } else {
        bench.disk.restart()
      }
      bench.disk.removeDirectory(isClean ? '/store/consumequeue/T' : '/store/consumequeue')
      const next = await openBench(t, bench)
      assert.deepEqual(await bodiesOf(next.store, 'T'), ['m0', 'm2', 'm4'])
      assert.deepEqual(await bodiesOf(next.store, 'U'), ['m1', 'm3'])
      assert.equal(put(next, 'T', 'm5'), 3)
    })
  }
})

describe('files that should not be there (case R62)', () => {
  const remains: [string, (disk: SimDisk) => void][] = [
    ['an empty last log file', disk => disk.writeFile(`/store/commitlog/${String(64 * 1024).padStart(20, '0')}`, '')],
    [
      'an empty next queue file',
      disk => disk.writeFile(`/store/consumequeue/T/0/${String(2000).padStart(20, '0')}`, ''),
    ],
    ['an empty key index file', disk => disk.writeFile('/store/index/20991231235959999', '')],
    [
      'files and directories of others',
      disk => {
        for (const place of ['', '/commitlog', '/consumequeue', '/consumequeue/T', '/consumequeue/T/0', '/index']) {
          disk.writeFile(`/store${place}/.DS_Store`, 'x')
          disk.makeDirectory(`/store${place}/lost+found`)
        }
      },
    ],
  ]
  for (const [what, add] of remains) {
    for (const isClean of [true, false]) {
      it(`${what} does no harm after ${isClean ? 'a clean stop' : 'a kill'}`, async t => {
        const bench = await openBench(t)
        put(bench, 'T', 'before')
        bench.clock.advance(70_000)
        await bench.clock.settle()
        if (isClean) {
          const closing = bench.store.close()
          await bench.clock.settle()
          await closing
        } else {
          bench.disk.restart()
        }
        add(bench.disk)
        const next = await openBench(t, bench)
        assert.equal(put(next, 'T', 'after'), 1)
        assert.deepEqual(await bodiesOf(next.store, 'T'), ['before', 'after'])
      })
    }
  }

  it('an empty file in the middle of the log refuses the start, by name', async t => {
    const bench = await openBench(t)
    for (let i = 0; i < 3; i++) put(bench, 'T', 'x'.repeat(60_000))
    const closing = bench.store.close()
    await bench.clock.settle()
    await closing
    const middle = `/store/commitlog/${String(64 * 1024).padStart(20, '0')}`
    assert.ok(bench.disk.stat(middle) !== undefined)
    bench.disk.writeFile(middle, '')
    await assert.rejects(openBench(t, bench), error => {
      assert.ok(RocketMqError.is(error) && error.code === 'STORE_CORRUPT')
      assert.match(error.message, /00000000000000065536/)
      return true
    })
  })
})

describe('messages of one time (case R90)', () => {
  it('are found from the first or to the last of them, and a time without any by its neighbours', async t => {
    const bench = await openBench(t)
    const { clock, store } = bench
    const start = clock.now()
    const putMany = (count: number) => {
      for (let i = 0; i < count; i++) put(bench, 'T', 'x')
    }
    putMany(1)
    clock.advance(58)
    putMany(5)
    clock.advance(57)
    putMany(1)
    const find = (timeMs: number) => [
      store.offsetByTime('T', 0, timeMs, 'lower'),
      store.offsetByTime('T', 0, timeMs, 'upper'),
    ]
    assert.deepEqual(find(start + 57), [1, 0])
    assert.deepEqual(find(start + 58), [1, 5])
    assert.deepEqual(find(start + 59), [6, 5])
    assert.deepEqual(find(start + 3_600_000), [7, 6])
    assert.deepEqual([find(0)[0], find(-1)[0]], [0, 0])
    assert.deepEqual([store.maxOffset('T', 9), store.minOffset('T', 9), store.storeTimeOf('T', 9, 0)], [0, 0, -1])
    // The files give the same answers as memory.
    clock.advance(70_000)
    await clock.settle()
    bench.disk.restart()
    const next = await openBench(t, bench)
    assert.equal(next.store.offsetByTime('T', 0, start + 58, 'lower'), 1)
    assert.equal(next.store.offsetByTime('T', 0, start + 58, 'upper'), 5)
  })
})
