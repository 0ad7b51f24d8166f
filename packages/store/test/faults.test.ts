import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom, TurnScheduler } from '@rocketmq-ts/runtime'
import type { MessageStore, StoreOptions } from '@rocketmq-ts/store'
import { SimClock, SimDisk, type SimHook } from '@rocketmq-ts/testing'
import { openStore, readQueue, recordOf } from './support/open-store.ts'
import { newScene, openScene, sendSome } from './support/workload.ts'

interface Bench {
  readonly clock: SimClock
  readonly disk: SimDisk
  readonly store: MessageStore
  readonly failures: number[]
}

async function openBench(options: Partial<StoreOptions> = {}, disk?: SimDisk, clock = new SimClock()): Promise<Bench> {
  const used = disk ?? new SimDisk({ random: seededRandom(1), now: () => clock.now() })
  const failures: number[] = []
  const store = await openStore('/store', { disk: used, clock, turn: new TurnScheduler(clock), options })
  store.onFailure(fromOffset => failures.push(fromOffset))
  return { clock, disk: used, store, failures }
}

async function close(bench: Bench): Promise<void> {
  const closing = bench.store.close()
  await bench.clock.settle()
  await bench.clock.settle()
  await closing
}

const failsOn =
  (fault: 'EIO' | 'ENOSPC', operation: string, pathPart: string): SimHook =>
  (seen, path) =>
    seen === operation && path.includes(pathPart) ? fault : undefined

describe('a full disk', () => {
  it('refuses writes with a reason, goes on reading, and recovers by itself when space returns', async () => {
    const bench = await openBench()
    const { clock, disk, failures, store } = bench
    assert.equal(store.append(recordOf({ body: Buffer.from('first') })).status, 'PUT_OK')
    clock.runImmediates()

    disk.hook = failsOn('ENOSPC', 'write', 'commitlog')
    const lost = store.append(recordOf({ body: Buffer.from('lost') }))
    const { physicalOffset, queueOffset } = lost
    assert.equal(lost.status, 'PUT_OK')
    clock.runImmediates()
    assert.deepEqual(failures, [physicalOffset])
    assert.equal(store.state, 'full')
    assert.match(store.whyNotWritable() ?? '', /ENOSPC/)
    assert.equal(store.append(recordOf()).status, 'SERVICE_NOT_AVAILABLE')
    assert.equal((await readQueue(store, 'T', 0, 0)).length, 1)

    disk.hook = undefined
    clock.advance(1500)
    assert.equal(store.state, 'running')
    const next = store.append(recordOf({ body: Buffer.from('next') }))
    assert.equal(next.status, 'PUT_OK')
    assert.equal(next.physicalOffset, physicalOffset)
    assert.equal(next.queueOffset, queueOffset, 'the lost number is given again')
    clock.runImmediates()
    const bodies = (await readQueue(store, 'T', 0, 0)).map(record => record.toString('latin1'))
    assert.equal(bodies.length, 2)
    assert.match(bodies[1]!, /next/)
    await close(bench)
  })

  it('is noticed by its ratio before a write fails, and so is the return of space', async () => {
    const capacityBytes = 400 * 1024
    const clock = new SimClock()
    const disk = new SimDisk({ random: seededRandom(1), now: () => clock.now(), capacityBytes })
    const bench = await openBench({ diskSpaceWarningLevelPercent: 50 }, disk, clock)
    const filler = disk.open('/filler', { create: true })
    filler.writeSync(Buffer.alloc(300 * 1024), 0, 300 * 1024, 0)
    clock.advance(10_000)
    assert.equal(bench.store.state, 'full')
    assert.match(bench.store.whyNotWritable() ?? '', /% full/)
    filler.truncate(0)
    // The probe also wants some space in bytes, which so small a disk never has; the ratio alone must not reopen it.
    clock.advance(10_000)
    assert.equal(bench.store.state, 'full')
    await close(bench)
  })

  it('leaves nothing of a refused message that a later start could take for stored', async () => {
    const bench = await openBench()
    const { clock, disk, store } = bench
    store.append(recordOf({ body: Buffer.alloc(3000, 'a') }))
    clock.runImmediates()
    // The write gets as far as the end of the file: whole records of refused messages lie behind the end.
    let isFailing = true
    disk.hook = (operation, path) =>
      isFailing && operation === 'write' && path.includes('commitlog') ? 'ENOSPC' : undefined
    for (let i = 0; i < 5; i++) store.append(recordOf({ topic: 'Refused', body: Buffer.from(`refused ${i}`) }))
    clock.runImmediates()
    isFailing = false
    clock.advance(1500)
    store.append(recordOf({ body: Buffer.from('kept') }))
    clock.runImmediates()
    disk.restart()
    const next = await openBench({}, disk, new SimClock(clock.now()))
    assert.equal(next.store.maxOffset('T', 0), 2)
    assert.equal(next.store.maxOffset('Refused', 0), 0)
    await close(next)
  })

  it('that keeps consume queues from being written refuses writes, and loses no entry', async () => {
    const bench = await openBench()
    const { clock, disk, store } = bench
    disk.hook = failsOn('ENOSPC', 'write', 'consumequeue')
    for (let i = 0; i < 10; i++) store.append(recordOf({ body: Buffer.from(`m${i}`) }))
    clock.runImmediates()
    clock.advance(3000)
    assert.equal(store.state, 'full')
    disk.hook = undefined
    clock.advance(2500)
    assert.equal(store.state, 'running')
    assert.equal((await readQueue(store, 'T', 0, 0)).length, 10)
    await close(bench)
    const next = await openBench({}, disk, new SimClock(clock.now()))
    assert.equal(next.store.maxOffset('T', 0), 10)
    await close(next)
  })
})

describe('a failing device', () => {
  it('fences the store at the first failed write of the log: reads go on, writes are refused until a restart', async () => {
    const bench = await openBench()
    const { clock, disk, failures, store } = bench
    store.append(recordOf({ body: Buffer.from('kept') }))
    clock.runImmediates()
    disk.hook = failsOn('EIO', 'write', 'commitlog')
    const lost = store.append(recordOf({ body: Buffer.from('lost') })).physicalOffset
    clock.runImmediates()
    disk.hook = undefined
    assert.deepEqual(failures, [lost])
    assert.equal(store.state, 'fenced')
    clock.advance(120_000)
    await clock.settle()
    assert.equal(store.append(recordOf()).status, 'SERVICE_NOT_AVAILABLE')
    assert.equal((await readQueue(store, 'T', 0, 0)).length, 1)
    await close(bench)
    assert.notEqual(disk.stat('/store/abort'), undefined, 'the next start recovers as after a crash')
    const next = await openBench({}, disk, new SimClock(clock.now()))
    // Whether the failed write is there nobody can say; what came before it is.
    const [kept, ...rest] = await readQueue(next.store, 'T', 0, 0)
    assert.ok(kept?.includes('kept'))
    assert.ok(rest.every(record => record.includes('lost')))
    assert.equal(next.store.append(recordOf()).status, 'PUT_OK')
    await close(next)
  })

  it("fences the store at a failed sync, and acknowledges nothing that wasn't flushed", async () => {
    const bench = await openBench({ flushDiskType: 'SYNC_FLUSH' })
    const { clock, disk, failures, store } = bench
    let flushed = 0
    store.onFlushed(offset => {
      flushed = offset
    })
    const first = store.append(recordOf()).endOffset
    await clock.settle()
    assert.equal(flushed, first)
    disk.hook = failsOn('EIO', 'sync', 'commitlog')
    store.append(recordOf())
    await clock.settle()
    assert.equal(store.state, 'fenced')
    assert.equal(flushed, first)
    assert.deepEqual(failures, [first])
    assert.equal(store.maxOffset('T', 0), 1, 'a message that was never flushed is not shown')
    disk.hook = undefined
    await close(bench)
  })

  for (let seed = 1; seed <= 8; seed++) {
    it(`by chance loses nothing that was acknowledged: seed ${seed}`, async () => {
      const clock = new SimClock()
      const random = seededRandom(seed * 77)
      const disk = new SimDisk({ random: seededRandom(seed), now: () => clock.now() })
      const scene = newScene(seed, disk, clock, {})
      let { store } = await openScene(scene)
      disk.hook = (operation, path) =>
        random.int(12) === 0 && (operation === 'write' || operation === 'create') && !path.endsWith('abort')
          ? 'ENOSPC'
          : undefined
      for (let step = 0; step < 150; step++) {
        sendSome(store, scene.random, scene.life)
        if (random.int(3) === 0) clock.runImmediates()
        if (random.int(4) === 0) clock.advance(random.int(1500))
      }
      disk.hook = undefined
      await clock.settle()
      const { sent } = scene.life
      disk.restart()
      store = (await openScene({ ...scene, clock: new SimClock(clock.now()) })).store
      const counts = new Map<string, number>()
      for (const { topic, queueId, queueOffset } of sent) {
        const key = `${topic}/${queueId}`
        assert.equal(queueOffset, counts.get(key) ?? 0, 'numbers without gaps or repetitions')
        counts.set(key, queueOffset + 1)
      }
      assert.ok(sent.length > 20)
      for (const [key, count] of counts) {
        const [topic, queueId] = key.split('/') as [string, string]
        const records = await readQueue(store, topic, Number(queueId), 0)
        assert.equal(records.length, count, `messages of ${key}`)
        assert.equal(store.maxOffset(topic, Number(queueId)), count)
      }
      await store.close()
    })
  }
})
