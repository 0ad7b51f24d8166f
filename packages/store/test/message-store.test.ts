import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  decodeStoredMessage,
  findProperty,
  magicV2,
  parseDelayLevels,
  sysFlag,
  systemTopics,
  tagsCodeOf,
} from '@rocketmq-ts/model'
import { seededRandom, silentLogger, TurnScheduler } from '@rocketmq-ts/runtime'
import {
  createStoreOptions,
  type GetResult,
  MessageStore,
  type StoreOptions,
  type StoreTuning,
} from '@rocketmq-ts/store'
import { SimClock, SimDisk } from '@rocketmq-ts/testing'
import { entryTagsCode } from '../dist/consume-queue/entries.js'
import { openStore, readQueue, recordOf, splitRecords } from './support/open-store.ts'

interface Bench {
  readonly clock: SimClock
  readonly disk: SimDisk
  readonly store: MessageStore
}

interface BenchOptions {
  readonly options?: Partial<StoreOptions>
  readonly tuning?: Partial<StoreTuning>
  readonly batchTopics?: readonly string[]
}

async function openBench(t: TestContext, bench: BenchOptions = {}, disk?: SimDisk): Promise<Bench> {
  const clock = new SimClock()
  const used = disk ?? new SimDisk({ random: seededRandom(1), now: () => clock.now() })
  const store = await openStore('/store', { ...bench, disk: used, clock, turn: new TurnScheduler(clock) })
  t.after(async () => {
    const closing = store.close()
    await clock.settle()
    await closing
  })
  return { clock, disk: used, store }
}

async function closeBench({ clock, store }: Bench): Promise<void> {
  const closing = store.close()
  await clock.settle()
  await closing
}

function recordsOf(result: GetResult): Buffer[] {
  return splitRecords(Buffer.concat(result.parts))
}

describe('an appended message', () => {
  it('is shown when it is written, told in order: written, then arrived', async t => {
    const { clock, store } = await openBench(t)
    const events: string[] = []
    store.onWritten(offset => events.push(`written ${offset}`))
    store.onArrival((queue, from, to) => events.push(`${queue.topic}/${queue.queueId} ${from}-${to}`))
    const { endOffset } = store.append(recordOf({ queueId: 1 }))
    store.append(recordOf({ queueId: 2 }))
    const last = store.append(recordOf({ queueId: 1 }))
    assert.equal(store.maxOffset('T', 1), 0)
    assert.equal(store.watermarks.written, 0)
    assert.ok(endOffset < last.endOffset)
    const end = last.endOffset
    clock.runImmediates()
    assert.deepEqual(events, [`written ${end}`, 'T/1 0-2', 'T/2 0-1'])
    assert.equal(store.maxOffset('T', 1), 2)
    assert.deepEqual(
      { ...store.watermarks, flushed: 0 },
      {
        appended: end,
        written: end,
        flushed: 0,
        confirmed: end,
        dispatched: end,
      },
    )
  })

  it('is shown with SYNC_FLUSH only when it is on the device, unless readUnCommitted says otherwise', async t => {
    for (const readUnCommitted of [false, true]) {
      const { clock, store } = await openBench(t, { options: { flushDiskType: 'SYNC_FLUSH', readUnCommitted } })
      const flushed: number[] = []
      store.onFlushed(offset => flushed.push(offset))
      const { endOffset } = store.append(recordOf())
      clock.runImmediates()
      assert.equal(store.watermarks.written, endOffset)
      assert.equal(store.maxOffset('T', 0), readUnCommitted ? 1 : 0)
      assert.deepEqual(flushed, [])
      await clock.settle()
      assert.deepEqual(flushed, [endOffset])
      assert.equal(store.maxOffset('T', 0), 1)
    }
  })

  it('joins the sync after the one in flight: one at a time, each for all that was written before it', async t => {
    const { clock, disk, store } = await openBench(t, { options: { flushDiskType: 'SYNC_FLUSH' } })
    await clock.settle()
    let syncs = 0
    disk.hook = (operation, path) => {
      if (operation === 'sync' && /commitlog\/0/.test(path)) syncs++
      return undefined
    }
    for (let turn = 0; turn < 5; turn++) {
      for (let i = 0; i < 100; i++) store.append(recordOf())
      clock.runImmediates()
    }
    await clock.settle()
    assert.equal(store.maxOffset('T', 0), 500)
    assert.equal(syncs, 2)
  })

  it('is flushed with ASYNC_FLUSH when enough is dirty, and in any case after a while', async t => {
    const { clock, store } = await openBench(t)
    await clock.settle()
    const { endOffset } = store.append(recordOf())
    clock.runImmediates()
    clock.advance(1000)
    await clock.settle()
    assert.equal(store.watermarks.flushed, 0, 'less than four pages can wait')
    clock.advance(10_000)
    await clock.settle()
    assert.equal(store.watermarks.flushed, endOffset)
    for (let i = 0; i < 10; i++) store.append(recordOf({ body: Buffer.alloc(2000) }))
    clock.runImmediates()
    clock.advance(500)
    await clock.settle()
    assert.equal(store.watermarks.flushed, store.watermarks.written)
  })

  it('is refused outside the limits, and takes no number then', async t => {
    const { clock, store } = await openBench(t, {
      options: { messageSizeMaxBytes: 10_000, commitLogFileSizeBytes: 12_000 },
    })
    const long = 'x'.repeat(128)
    const cases = [
      [recordOf({ topic: long }), 'MESSAGE_ILLEGAL'],
      [recordOf({ topic: `%RETRY%${'x'.repeat(249)}` }), 'MESSAGE_ILLEGAL'],
      [recordOf({ topic: '../T' }), 'MESSAGE_ILLEGAL'],
      [recordOf({ topic: '' }), 'MESSAGE_ILLEGAL'],
      [recordOf({ queueId: -1 }), 'MESSAGE_ILLEGAL'],
      [recordOf({ body: Buffer.alloc(10_001) }), 'MESSAGE_ILLEGAL'],
      [recordOf({ properties: 'x'.repeat(32_768) }), 'PROPERTIES_SIZE_EXCEEDED'],
      [recordOf({ body: Buffer.alloc(9_000), properties: 'x'.repeat(4_000) }), 'UNKNOWN_ERROR'],
    ] as const
    for (const [record, status] of cases) {
      assert.equal(store.append(record).status, status)
      assert.equal(store.appendBatch([recordOf(), record]).status, status)
    }
    assert.equal(store.append(recordOf({ body: Buffer.alloc(10_000) })).queueOffset, 0)
    assert.equal(store.append(recordOf({ topic: `%RETRY%${'x'.repeat(248)}` })).status, 'PUT_OK')
    clock.runImmediates()
    assert.equal(store.maxOffset('T', 0), 1)
    const [retry] = await readQueue(store, `%RETRY%${'x'.repeat(248)}`, 0, 0)
    assert.equal(decodeStoredMessage(retry!).magic, magicV2)
  })

  it('goes to the next file when fewer than 8 bytes would be left in this one', async t => {
    const fileSize = 4096
    const bench = { options: { commitLogFileSizeBytes: fileSize } }
    const { clock, disk, store } = await openBench(t, bench)
    const fixed = store.append(recordOf({ body: Buffer.alloc(0) })).endOffset
    const fill = (left: number) => {
      const used = store.watermarks.appended % fileSize
      return store.append(recordOf({ body: Buffer.alloc(fileSize - used - fixed - left) }))
    }
    assert.equal(fill(8).endOffset, fileSize - 8)
    clock.runImmediates()
    const next = { ...store.append(recordOf()) }
    assert.equal(next.physicalOffset, fileSize, 'exactly 8 bytes are left for the blank record')
    assert.equal(fill(7).physicalOffset, 2 * fileSize, 'with 7 it does not fit')
    clock.runImmediates()
    const first = disk.readFile('/store/commitlog/00000000000000000000')!
    assert.deepEqual(first.subarray(-8).toString('hex'), '00000008cbd43194')
    const second = disk.readFile('/store/commitlog/00000000000000004096')!
    const used = next.endOffset - fileSize
    assert.equal(second.readInt32BE(used), fileSize - used)
    assert.equal((await readQueue(store, 'T', 0, 0)).length, 4)
    await closeBench({ clock, disk, store })
    const again = await openBench(t, bench, disk)
    assert.equal((await readQueue(again.store, 'T', 0, 0)).length, 4)
  })
})

describe('a batch', () => {
  it('gets consecutive numbers in one file, or nothing', async t => {
    const { clock, store } = await openBench(t, { options: { commitLogFileSizeBytes: 4096 } })
    store.append(recordOf({ body: Buffer.alloc(2500) }))
    const records = [1, 2, 3].map(i => recordOf({ body: Buffer.alloc(500, i) }))
    const result = store.appendBatch(records)
    assert.equal(result.status, 'PUT_OK')
    assert.equal(result.queueOffset, 1)
    assert.equal(result.physicalOffset, 4096)
    assert.equal(result.physicalOffsets.length, 3)
    assert.equal(result.endOffset, store.watermarks.appended)
    const offsets = [...result.physicalOffsets]
    assert.equal(
      store.appendBatch(Array.from({ length: 9 }, () => recordOf({ body: Buffer.alloc(500) }))).status,
      'UNKNOWN_ERROR',
    )
    assert.equal(store.appendBatch([]).status, 'MESSAGE_ILLEGAL')
    clock.runImmediates()
    const stored = (await readQueue(store, 'T', 0, 1)).map(record => decodeStoredMessage(record))
    assert.deepEqual(
      stored.map(message => message.physicalOffset),
      offsets,
    )
    assert.equal(store.maxOffset('T', 0), 4)
  })
})

describe('getMessages', () => {
  async function filled(t: TestContext, count: number, more: Partial<StoreOptions> = {}): Promise<Bench> {
    const bench = await openBench(t, { options: more })
    for (let i = 0; i < count; i++) {
      const tags = i % 2 === 0 ? 'even' : 'odd'
      bench.store.append(
        recordOf({
          body: Buffer.from(`m${i}`.padEnd(100)),
          tagsCode: tagsCodeOf(tags),
          properties: `TAGS\u0001${tags}\u0002`,
        }),
      )
    }
    bench.clock.runImmediates()
    return bench
  }
  const get = (store: MessageStore, offset: number, more: object = {}) =>
    store.getMessages({ topic: 'T', queueId: 0, offset, maxCount: 32, ...more })

  it('answers offsets outside of the queue as Java does', async t => {
    const { store } = await filled(t, 10)
    const expectStatus = async (offset: number, status: string, next: number) => {
      const result = await get(store, offset)
      assert.deepEqual([result.status, result.nextBeginOffset], [status, next])
      assert.deepEqual([result.minOffset, result.maxOffset], [0, 10])
    }
    await expectStatus(10, 'OFFSET_OVERFLOW_ONE', 10)
    await expectStatus(11, 'OFFSET_OVERFLOW_BADLY', 10)
    await expectStatus(-1, 'OFFSET_TOO_SMALL', 0)
    const unknown = await store.getMessages({ topic: 'other', queueId: 0, offset: 5, maxCount: 1 })
    assert.deepEqual([unknown.status, unknown.nextBeginOffset], ['NO_MATCHED_LOGIC_QUEUE', 0])
    store.append(recordOf({ queueId: 7 }))
    const empty = await store.getMessages({ topic: 'T', queueId: 7, offset: 5, maxCount: 1 })
    assert.deepEqual([empty.status, empty.nextBeginOffset], ['NO_MESSAGE_IN_QUEUE', 0])
  })

  it('gives the hot end without a promise, within count and bytes, and one message of any size', async t => {
    const { store } = await filled(t, 60)
    const result = get(store, 5)
    assert.ok(!(result instanceof Promise))
    assert.equal(result.messageCount, 32)
    assert.equal(result.nextBeginOffset, 37)
    assert.equal(Buffer.concat(result.parts).length, result.bytes)
    assert.equal(decodeStoredMessage(recordsOf(result)[0]!).queueOffset, 5)
    const size = recordsOf(result)[0]!.length
    assert.equal((await get(store, 0, { maxCount: 3 })).messageCount, 3)
    assert.equal((await get(store, 0, { maxBytes: 3 * size + 3 })).messageCount, 3)
    assert.equal((await get(store, 0, { maxBytes: 100 })).messageCount, 1)
    assert.equal((await get(store, 58)).messageCount, 2)
  })

  it('gives the same from the files, in smaller answers when the log is far ahead', async t => {
    const { clock, disk, store } = await filled(t, 300)
    const hot = await readQueue(store, 'T', 0, 0)
    await closeBench({ clock, disk, store })
    const cold = await openBench(t, { tuning: { totalMemoryBytes: 1000 } }, disk)
    const first = get(cold.store, 0)
    assert.ok(first instanceof Promise)
    const result = await first
    assert.equal(result.messageCount, 8)
    assert.equal(result.suggestPullingFromSlave, true)
    assert.deepEqual(Buffer.concat(await readQueue(cold.store, 'T', 0, 0)), Buffer.concat(hot))
  })

  it('chooses by tags, and tells how far it has looked when nothing matched', async t => {
    const { store } = await filled(t, 100)
    const odd = await get(store, 0, { tagFilter: new Set([tagsCodeOf('odd')]) })
    assert.equal(odd.messageCount, 32)
    assert.ok(recordsOf(odd).every(record => decodeStoredMessage(record).queueOffset % 2 === 1))
    assert.equal(odd.nextBeginOffset, 64)
    const none = await get(store, 0, { tagFilter: new Set([tagsCodeOf('none')]) })
    assert.deepEqual([none.status, none.messageCount, none.nextBeginOffset], ['NO_MATCHED_MESSAGE', 0, 100])
  })

  it('looks at no more entries than a pull may scan', async t => {
    const { store } = await filled(t, 100, { filterScanMaxBytes: 400 })
    const none = await get(store, 0, { maxCount: 10, tagFilter: new Set([1]) })
    assert.equal(none.nextBeginOffset, 20)
  })

  it('lets a filter look at whole records', async t => {
    const { store } = await filled(t, 50)
    const tagFilter = { matchesEntry: () => true, matchesRecord: (record: Buffer) => record.includes('m7 ') }
    const result = await get(store, 0, { maxCount: 50, tagFilter })
    assert.equal(result.messageCount, 1)
    assert.equal(decodeStoredMessage(recordsOf(result)[0]!).queueOffset, 7)
  })

  it('passes by messages whose log files are gone', async t => {
    const { clock, store } = await openBench(t, {
      options: { commitLogFileSizeBytes: 2048, fileReservedTimeHours: 0, consumeQueueFileSizeBytes: 200 },
    })
    for (let i = 0; i < 60; i++) store.append(recordOf({ body: Buffer.alloc(100) }))
    clock.runImmediates()
    clock.advance(120_000)
    await clock.settle()
    const deleting = store.deleteExpired(true)
    for (let i = 0; i < 20; i++) {
      clock.advance(100)
      await clock.settle()
    }
    await deleting
    const min = store.minOffset('T', 0)
    assert.ok(min > 0 && store.minPhysicalOffset >= 2048)
    assert.equal((await get(store, 0)).status, 'OFFSET_TOO_SMALL')
    assert.equal(decodeStoredMessage((await readQueue(store, 'T', 0, min))[0]!).queueOffset, min)
  })
})

describe('looking for messages', () => {
  it('finds them by physical offset, key, and store time', async t => {
    const { clock, store } = await openBench(t)
    const offsets: number[] = []
    const times: number[] = []
    for (let i = 0; i < 10; i++) {
      const result = store.append(
        recordOf({ uniqueKey: `u${i}`, keys: i % 2 ? 'odd all' : 'all', body: Buffer.from(`b${i}`) }),
      )
      offsets.push(result.physicalOffset)
      times.push(clock.now())
      clock.runImmediates()
      clock.advance(1000)
    }
    const record = await store.messageAt(offsets[3]!)
    assert.equal(decodeStoredMessage(record!).body.toString(), 'b3')
    for (const wrong of [-1, 0.5, Number.NaN, 10 ** 12, store.watermarks.written]) {
      assert.equal(await store.messageAt(wrong), undefined)
    }
    const find = async (key: string, max = 64, begin = 0, end = Number.MAX_SAFE_INTEGER) =>
      (await store.queryIndex('T', key, max, begin, end, false)).records.map(
        found => decodeStoredMessage(found).queueOffset,
      )
    assert.deepEqual(await find('u4'), [4])
    assert.deepEqual(await find('odd'), [1, 3, 5, 7, 9])
    assert.deepEqual(await find('all', 3), [7, 8, 9])
    assert.deepEqual(await find('odd', 64, times[2], times[6]), [3, 5])
    assert.deepEqual(await find('nothing'), [])
    for (let i = 0; i < 10; i++) {
      assert.equal(store.storeTimeOf('T', 0, i), times[i])
      assert.equal(store.offsetByTime('T', 0, times[i]!, 'lower'), i)
      assert.equal(store.offsetByTime('T', 0, times[i]! + 1, 'lower'), i + 1)
      assert.equal(store.offsetByTime('T', 0, times[i]! + 1, 'upper'), i)
    }
    assert.equal(store.offsetByTime('T', 0, 0, 'upper'), 0)
    assert.equal(store.storeTimeOf('T', 0, 10), -1)
    assert.equal(store.storeTimeOf('T', 9, 0), -1)
    assert.equal(store.earliestStoreTime, times[0])
    assert.equal(store.isInMemory('T', 0, 3), true)
    assert.equal(store.isInMemory('T', 0, 30), false)
  })

  it('says whether something that just arrived is wanted', async t => {
    const { clock, store } = await openBench(t)
    for (let i = 0; i < 4; i++) store.append(recordOf({ tagsCode: i }))
    clock.runImmediates()
    const queue = store.queue('T', 0)!
    assert.equal(store.hasMatch(queue, 0, 4, new Set([2])), true)
    assert.equal(store.hasMatch(queue, 3, 4, new Set([2])), false)
    assert.equal(store.hasMatch(queue, 0, 4, new Set([9])), false)
  })
})

describe('special messages', () => {
  it('of the schedule topic have their deliver time in the queue', async t => {
    const { clock, store } = await openBench(t)
    const topic = systemTopics.schedule
    store.append(recordOf({ topic, queueId: 2, properties: 'DELAY\u00013\u0002' }))
    store.append(recordOf({ topic, queueId: 2, properties: 'DELAY\u000199\u0002' }))
    clock.runImmediates()
    const queue = store.queue(topic, 2)!
    assert.ok('recent' in queue)
    const levels = parseDelayLevels('1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h')
    assert.equal(entryTagsCode(queue.recent, 0), clock.now() + levels[2]!)
    assert.equal(entryTagsCode(queue.recent, 1), clock.now() + levels.at(-1)!)
  })

  it('prepared or rolled back are in the log but in no queue', async t => {
    const { clock, store } = await openBench(t)
    for (const flags of [sysFlag.transactionPrepared, sysFlag.transactionRollback, sysFlag.transactionCommit]) {
      const { queueOffset } = store.append(recordOf({ sysFlag: flags, uniqueKey: `k${flags}` }))
      assert.equal(queueOffset, 0)
    }
    clock.runImmediates()
    assert.equal(store.maxOffset('T', 0), 1)
    const count = async (key: string) => (await store.queryIndex('T', key, 9, 0, 2 ** 52, true)).records.length
    assert.equal(await count(`k${sysFlag.transactionPrepared}`), 1)
    assert.equal(await count(`k${sysFlag.transactionRollback}`), 0)
  })

  it('for light queues get an entry and a number in each of them', async t => {
    const bench = { options: { enableLmq: true, enableMultiDispatch: true } }
    const { clock, disk, store } = await openBench(t, bench)
    const properties = 'INNER_MULTI_DISPATCH\u0001%LMQ%a,%LMQ%b\u0002'
    store.append(recordOf({ properties: 'INNER_MULTI_DISPATCH\u0001%LMQ%a' }))
    store.append(recordOf({ properties }))
    store.append(recordOf({ topic: '%RETRY%g', properties }))
    clock.runImmediates()
    assert.deepEqual([store.maxOffset('T', 0), store.maxOffset('%LMQ%a', 0), store.maxOffset('%LMQ%b', 0)], [2, 2, 1])
    const check = async (opened: MessageStore) => {
      const found = (await readQueue(opened, '%LMQ%a', 0, 0)).map(record => decodeStoredMessage(record).propertiesText)
      assert.deepEqual(
        found.map(text => findProperty(text, 'INNER_MULTI_QUEUE_OFFSET')),
        ['0', '1,0'],
      )
    }
    await check(store)
    // A killed process: the light queues are dispatched again from the log.
    disk.restart()
    const again = await openBench(t, bench, disk)
    await check(again.store)
    assert.equal(again.store.maxOffset('%LMQ%b', 0), 1)
  })

  it('of a batch topic have entries in a batch queue', async t => {
    const bench = { batchTopics: ['B'] }
    const { clock, disk, store } = await openBench(t, bench)
    for (let i = 0; i < 3; i++)
      assert.equal(store.append(recordOf({ topic: 'B', body: Buffer.from(`b${i}`) })).queueOffset, i)
    clock.runImmediates()
    assert.equal(store.maxOffset('B', 0), 3)
    assert.ok(disk.paths().includes('/store/batchconsumequeue/B/0/00000000000000000000'))
    disk.restart()
    const again = await openBench(t, bench, disk)
    const bodies = (await readQueue(again.store, 'B', 0, 1)).map(record => decodeStoredMessage(record).body.toString())
    assert.deepEqual(bodies, ['b1', 'b2'])
  })
})

describe('removing', () => {
  it('a topic takes its queues and leaves the others; its numbers begin again', async t => {
    const { clock, disk, store } = await openBench(t)
    for (const topic of ['A', 'B', 'TBW102']) store.append(recordOf({ topic }))
    clock.runImmediates()
    clock.advance(2000)
    store.deleteTopic('A')
    store.deleteTopic('..')
    assert.equal(store.queue('A', 0), undefined)
    assert.equal(disk.stat('/store/consumequeue/A'), undefined)
    assert.ok(disk.stat('/store/consumequeue/B') !== undefined)
    assert.equal(store.append(recordOf({ topic: 'A' })).queueOffset, 0)
    clock.runImmediates()
    assert.deepEqual(store.cleanUnusedTopics(new Set(['A'])), ['B'])
    assert.deepEqual([...store.topics()].sort(), ['A', 'TBW102'])
  })
})

describe('a store that is closed', () => {
  it('refuses everything, closes once, and gives the directory to the next', async t => {
    const bench = await openBench(t)
    const { clock, disk, store } = bench
    store.append(recordOf())
    await assert.rejects(openStore('/store', { disk, clock, turn: new TurnScheduler(clock) }), { code: 'STORE_LOCKED' })
    await closeBench(bench)
    assert.equal(store.state, 'closed')
    assert.equal(store.append(recordOf()).status, 'SERVICE_NOT_AVAILABLE')
    assert.throws(() => store.getMessages({ topic: 'T', queueId: 0, offset: 0, maxCount: 1 }), {
      code: 'INVALID_STATE',
    })
    assert.equal(disk.stat('/store/abort'), undefined)
    const next = await openBench(t, {}, disk)
    assert.equal(next.store.maxOffset('T', 0), 1, 'what was appended just before is there')
  })

  it('refuses a directory of DLedger, and leaves its queues alone', async () => {
    const clock = new SimClock()
    const disk = new SimDisk({ random: seededRandom(1), now: () => 0 })
    for (const path of ['/store/dledger-n0/data', '/store/consumequeue/T/0']) disk.makeDirectory(path)
    const opening = openStore('/store', { disk, clock, turn: new TurnScheduler(clock) })
    await assert.rejects(opening, { code: 'STORE_CORRUPT', message: /dledger-n0/ })
    assert.ok(disk.stat('/store/consumequeue/T/0') !== undefined)
  })

  it('refuses several log paths, and leaves the directory unlocked', async () => {
    const clock = new SimClock()
    const disk = new SimDisk({ random: seededRandom(1), now: () => 0 })
    const open = MessageStore.open({
      disk,
      clock,
      turn: new TurnScheduler(clock),
      logger: silentLogger,
      directory: '/store',
      options: createStoreOptions(),
      commitLogDirectory: '/a,/b',
    })
    await assert.rejects(open, { code: 'CONFIG_INVALID', message: /storePathCommitLog/ })
    disk.lock('/store/lock').release()
  })
})

describe('the options of a store', () => {
  it('refuse unknown names, wrong types and numbers out of range, naming them', () => {
    const wrong: [object, RegExp][] = [
      [{ mapped: 1 }, /mapped/],
      [{ indexEntryCount: 1 }, /indexEntryCount is 1/],
      [{ flushIntervalCommitLogMs: 1.5 }, /flushIntervalCommitLogMs/],
      [{ enableLmq: 'true' }, /enableLmq must be a boolean/],
    ]
    for (const [options, message] of wrong) {
      assert.throws(() => createStoreOptions(options as Partial<StoreOptions>), { code: 'CONFIG_INVALID', message })
    }
    assert.equal(createStoreOptions({ enableLmq: true }).enableLmq, true)
    assert.equal(createStoreOptions().commitLogFileSizeBytes, 1_073_741_824)
  })
})
