import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type RocketMqError, seededRandom, silentLogger } from '@rocketmq-ts/runtime'
import { SimClock, SimDisk } from '@rocketmq-ts/testing'
import { DelayOffsetFile } from '../../dist/schedule/delay-offset-file.js'
import { DelayOffsets } from '../../dist/schedule/delay-offsets.js'

const golden = readFileSync(new URL('../../test/golden/schedule/delayOffset.json', import.meta.url), 'utf8')
const path = '/config/delayOffset.json'

function rig(files: Record<string, string> = {}) {
  const clock = new SimClock()
  const disk = new SimDisk({ random: seededRandom(1), now: () => clock.now() })
  disk.makeDirectory('/config')
  for (const [name, text] of Object.entries(files)) disk.writeFile(name, text)
  const watermarks = { appended: 0, written: 0, flushed: 0, confirmed: 0, dispatched: 0, check: () => {} }
  const listeners: ((offset: number) => void)[] = []
  const requested: number[] = []
  const store = {
    watermarks,
    requestFlush: (offset: number) => void requested.push(offset),
    onFlushed: (listener: (offset: number) => void) => void listeners.push(listener),
    flush: async () => {
      watermarks.flushed = watermarks.written
    },
  }
  const flushedTo = (offset: number) => {
    watermarks.flushed = offset
    for (const listener of listeners) listener(offset)
  }
  const offsets = new DelayOffsets(clock, { delayOffsetUpdateVersionStep: 200 })
  const options = { flushDelayOffsetIntervalMs: 10_000 }
  const open = () =>
    new DelayOffsetFile({ offsets, store, disk, directory: '/config', clock, logger: silentLogger, options })
  return { clock, disk, watermarks, requested, flushedTo, offsets, open, read: () => disk.readFile(path)?.toString() }
}

test("Java's delayOffset.json is read, and written back letter for letter", async () => {
  const { offsets, open, read } = rig({ [path]: golden })
  const file = open()
  assert.deepEqual(offsets.entries(), [
    [1, 10],
    [2, 1],
    [3, 1],
    [16, 0],
    [17, 0],
    [18, 0],
  ])
  assert.equal(offsets.version.counter, 30)
  offsets.isDirty = true
  await file.close()
  assert.equal(read(), golden)
})

test('offsets are saved after ten seconds when they changed, and only when the device has what they pass over', async () => {
  const { clock, watermarks, requested, flushedTo, offsets, open, read } = rig()
  open().start()
  clock.advance(10_000)
  assert.deepEqual(requested, [])
  offsets.set(1, 5)
  watermarks.written = 1000
  clock.advance(9_999)
  assert.deepEqual(requested, [])
  clock.advance(1)
  assert.deepEqual(requested, [1000])
  flushedTo(999)
  assert.equal(read(), undefined)
  offsets.set(1, 6)
  flushedTo(1000)
  await clock.settle()
  assert.match(read()!, /\{1:5\s/)
  watermarks.flushed = watermarks.written = 2000
  clock.advance(10_000)
  await clock.settle()
  assert.match(read()!, /\{1:6\s/)
})

test('an end saves what has changed after a flush', async () => {
  const { watermarks, offsets, open, read } = rig()
  const file = open()
  file.start()
  watermarks.written = 1000
  offsets.set(3, 7)
  await file.close()
  assert.equal(watermarks.flushed, 1000)
  assert.match(read()!, /\{3:7\s/)
})

test('a half written file gives way to its predecessor; when both are damaged the error names the file', () => {
  const before = rig({ [path]: '{"offs', [`${path}.bak`]: golden })
  before.open()
  assert.equal(before.offsets.get(1), 10)
  const damaged = rig({ [path]: '{"offs', [`${path}.bak`]: '[' })
  assert.throws(
    damaged.open,
    (error: RocketMqError) => error.code === 'CONFIG_INVALID' && /delayOffset/.test(error.message),
  )
})

test('a failed save is tried again', async () => {
  const { clock, disk, offsets, open, read } = rig()
  open().start()
  offsets.set(1, 5)
  disk.hook = () => 'ENOSPC'
  clock.advance(10_000)
  await clock.settle()
  assert.equal(read(), undefined)
  disk.hook = undefined
  clock.advance(10_000)
  await clock.settle()
  assert.match(read()!, /\{1:5\s/)
})

test('the version counts every 200 delivered messages', () => {
  const { offsets } = rig()
  offsets.set(1, 150)
  assert.equal(offsets.version.counter, 0)
  offsets.set(1, 199)
  offsets.set(2, 1)
  assert.equal(offsets.version.counter, 1)
})
