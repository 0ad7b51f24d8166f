import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { seededRandom, TurnScheduler } from '@rocketmq-ts/runtime'
import type { MessageStore, StoreOptions } from '@rocketmq-ts/store'
import { SimClock, SimDisk } from '@rocketmq-ts/testing'
import { isDeleteHour } from '../dist/retention.js'
import { openStore, readQueue, recordOf } from './support/open-store.ts'

const HOUR_MS = 3_600_000
const FILE_BYTES = 4096

interface Bench {
  readonly clock: SimClock
  readonly disk: SimDisk
  readonly store: MessageStore
}

/** A store with six log files, each a local hour younger than the one before; the local hour is 10 when it is made. */
async function openBench(t: TestContext, options: Partial<StoreOptions>, capacityBytes?: number): Promise<Bench> {
  const clock = new SimClock(new Date(2026, 5, 1, 10, 0, 0).getTime())
  const space = capacityBytes === undefined ? {} : { capacityBytes }
  const disk = new SimDisk({ random: seededRandom(1), now: () => clock.now(), ...space })
  const store = await openStore('/store', {
    disk,
    clock,
    turn: new TurnScheduler(clock),
    options: {
      commitLogFileSizeBytes: FILE_BYTES,
      consumeQueueFileSizeBytes: 200,
      indexEntryCount: 20,
      deleteCommitLogFilesIntervalMs: 0,
      fileReservedTimeHours: 24,
      deleteWhenHours: '04',
      ...options,
    },
  })
  t.after(async () => {
    const closing = store.close()
    await clock.settle()
    await closing
  })
  for (let file = 0; file < 6; file++) {
    for (let i = 0; i < 6; i++)
      store.append(recordOf({ body: Buffer.alloc(500), uniqueKey: `u${file}-${i}`, queueId: i % 2 }))
    clock.runImmediates()
    await pass({ clock, disk, store }, HOUR_MS)
  }
  return { clock, disk, store }
}

/** Lets time pass in steps, so that rounds that wait can go on. */
async function pass({ clock }: Bench, ms: number): Promise<void> {
  const steps = Math.max(8, Math.ceil(ms / 600_000))
  for (let step = 0; step < steps; step++) {
    clock.advance(ms / steps)
    await clock.settle()
  }
}

/** Lets time pass until `work` is done. */
async function finish({ clock }: Bench, work: Promise<unknown>): Promise<void> {
  let isDone = false
  const done = work.then(() => {
    isDone = true
  })
  while (!isDone) {
    clock.advance(100)
    await clock.settle()
  }
  await done
}

function logFiles(disk: SimDisk): number {
  return disk.paths().filter(path => path.startsWith('/store/commitlog/')).length
}

describe('retention', () => {
  it('deletes expired log files in the hour of deleteWhen only, never the last, and queues and index follow', async t => {
    const bench = await openBench(t, { fileReservedTimeHours: 8 })
    const { disk, store } = bench
    assert.equal(logFiles(disk), 6)
    await pass(bench, 11.5 * HOUR_MS)
    assert.equal(logFiles(disk), 6, 'half past three: all are expired, none is deleted')
    await pass(bench, HOUR_MS)
    assert.equal(logFiles(disk), 1)
    assert.equal(store.minPhysicalOffset, 5 * FILE_BYTES)
    for (const queueId of [0, 1]) {
      assert.equal(store.minOffset('T', queueId), 15)
      assert.equal(store.maxOffset('T', queueId), 18)
      assert.equal((await readQueue(store, 'T', queueId, 15)).length, 3)
      assert.deepEqual(
        disk.paths().filter(path => path.startsWith(`/store/consumequeue/T/${queueId}/`)),
        [`/store/consumequeue/T/${queueId}/00000000000000000200`],
      )
    }
    assert.equal((await store.queryIndex('T', 'u0-0', 9, 0, 2 ** 52, true)).records.length, 0)
    assert.equal((await store.queryIndex('T', 'u5-1', 9, 0, 2 ** 52, true)).records.length, 1)
    assert.ok(disk.paths().filter(path => path.startsWith('/store/index/')).length <= 2)
  })

  it('keeps what is younger than fileReservedTime', async t => {
    const bench = await openBench(t, { fileReservedTimeHours: 15 })
    await pass(bench, 12.9 * HOUR_MS)
    // At 4:54 those last written before 13:54 are older than 15 hours; a file's last write is its blank record, when the next one begins.
    assert.equal(logFiles(bench.disk), 3)
  })

  it('deletes expired files at any hour when asked', async t => {
    const bench = await openBench(t, { fileReservedTimeHours: 3 })
    assert.equal(logFiles(bench.disk), 6)
    await finish(bench, bench.store.deleteExpired(true))
    assert.equal(logFiles(bench.disk), 3)
  })

  it('deletes at any hour above diskMaxUsedSpaceRatio, and regardless of age above the forcible one', async t => {
    const expired = await openBench(t, { fileReservedTimeHours: 3, diskMaxUsedSpacePercent: 10 }, 400 * 1024)
    await pass(expired, 120_000)
    assert.ok(logFiles(expired.disk) <= 3)
    const young = await openBench(
      t,
      {
        fileReservedTimeHours: 1000,
        diskMaxUsedSpacePercent: 10,
        diskSpaceCleanForciblyPercent: 30,
        deleteFileBatchMax: 1,
      },
      110 * 1024,
    )
    await pass(young, 10 * 60_000)
    assert.ok(logFiles(young.disk) <= 2)
    const kept = await openBench(
      t,
      {
        fileReservedTimeHours: 1000,
        diskMaxUsedSpacePercent: 10,
        cleanFileForciblyEnable: false,
        diskSpaceCleanForciblyPercent: 30,
      },
      110 * 1024,
    )
    await pass(kept, 10 * 60_000)
    assert.equal(logFiles(kept.disk), 6)
  })

  it('removes queues whose messages are all gone when asked, and their numbers begin again', async t => {
    const bench = await openBench(t, { fileReservedTimeHours: 3 })
    const { clock, store } = bench
    store.append(recordOf({ topic: 'Old' }))
    clock.runImmediates()
    await pass(bench, 2000)
    assert.equal(store.cleanExpiredConsumeQueues(), 0)
    for (let i = 0; i < 30; i++) store.append(recordOf({ body: Buffer.alloc(500) }))
    clock.runImmediates()
    await pass(bench, 9 * HOUR_MS)
    await finish(bench, store.deleteExpired(true))
    assert.equal(store.minOffset('Old', 0), store.maxOffset('Old', 0))
    assert.equal(store.cleanExpiredConsumeQueues(), 2, 'that of Old, and one of T that got nothing since')
    assert.equal(store.queue('Old', 0), undefined)
    assert.ok(store.queue('T', 0) !== undefined)
    assert.equal(store.append(recordOf({ topic: 'Old' })).queueOffset, 0)
  })
})

describe('the hours of deleteWhen', () => {
  it('are local, and separated by semicolons', () => {
    const at = (hour: number) => new Date(2026, 0, 1, hour, 30).getTime()
    assert.equal(isDeleteHour('04', at(4)), true)
    assert.equal(isDeleteHour('04', at(5)), false)
    assert.equal(isDeleteHour('04;16; 7', at(16)), true)
    assert.equal(isDeleteHour('04;16; 7', at(7)), true)
    assert.equal(isDeleteHour('nonsense;', at(0)), false)
  })
})
