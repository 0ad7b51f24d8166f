import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { realDisk, silentLogger } from '@rocketmq-ts/runtime'
import { ConsumerOffsets } from '../../dist/offset/consumer-offsets.js'
import { keepOffsets } from '../../dist/offset/offset-file.js'
import { AdminClock } from '../support/admin-clock.js'

function golden(name: string): string {
  return readFileSync(new URL(`../../test/golden/offset/${name}`, import.meta.url), 'utf8')
}

function create(test: TestContext, enableLmq = false, content?: Record<string, string>) {
  const directory = mkdtempSync(join(tmpdir(), 'offsets-'))
  test.after(() => rmSync(directory, { recursive: true }))
  for (const [name, text] of Object.entries(content ?? {})) writeFileSync(join(directory, name), text)
  const clock = new AdminClock()
  const options = {
    enableLmq,
    flushConsumerOffsetIntervalMs: 5000,
    useServerSideResetOffset: true,
    consumerOffsetUpdateVersionStep: 500,
  }
  const offsets = new ConsumerOffsets(clock, silentLogger, options)
  const open = () => keepOffsets({ offsets, disk: realDisk, directory, clock, logger: silentLogger, options })
  return { offsets, clock, open, read: (name: string) => readFileSync(join(directory, name), 'utf8') }
}

/** The lines in any order, as maps and sets have none in Java; lists of topics sorted, and no commas at the ends. */
function linesOf(json: string): string[] {
  const sortedLists = json.replaceAll(/\[(.*)\]/g, (_, list: string) => `[${list.split(',').sort().join(',')}]`)
  return sortedLists.replaceAll(/,$/gm, '').split('\n').sort()
}

test("Java's consumerOffset.json is read, and written back letter for letter", async t => {
  const text = golden('consumerOffset.json')
  const { offsets, open, read } = create(t, false, { 'consumerOffset.json': text })
  const file = open()
  assert.equal(offsets.query('G_Push', 'T_Tags', 1), 11)
  assert.equal(offsets.query('G_Pop', '%RETRY%G_Pop_T_Pop', 0), 0)
  offsets.isDirty = true
  await file.close()
  assert.deepEqual(linesOf(read('consumerOffset.json')), linesOf(text))
})

test('with light queues the other file is used, and light groups have a table of their own', async t => {
  const { offsets, open, read } = create(t, true, { 'lmqConsumerOffset.json': golden('lmqConsumerOffset.json') })
  const file = open()
  assert.equal(offsets.query('G_Lmq', '%LMQ%q2', 0), 4)
  offsets.commit('%LMQ%g', '%LMQ%q', 0, 9)
  await file.close()
  const saved = read('lmqConsumerOffset.json')
  assert.match(saved, /"lmqOffsetTable":\{\s*"%LMQ%q@%LMQ%g":9\s*\}/)
  const again = create(t, true, { 'lmqConsumerOffset.json': saved })
  await again.open().close()
  assert.equal(again.offsets.query('%LMQ%g', '%LMQ%q', 0), 9)
})

test('commits are saved every five seconds, the first time after ten, and at the end', async t => {
  const { offsets, clock, open, read } = create(t)
  const file = open()
  offsets.commit('G', 'T', 0, 1)
  clock.advance(9_999)
  assert.throws(() => read('consumerOffset.json'))
  clock.advance(1)
  await file.settled()
  assert.match(read('consumerOffset.json'), /"T@G":\{0:1/)
  offsets.commit('G', 'T', 0, 2)
  clock.advance(5_000)
  await file.settled()
  assert.match(read('consumerOffset.json'), /"T@G":\{0:2/)
  assert.match(read('consumerOffset.json.bak'), /"T@G":\{0:1/)
  offsets.commit('G', 'T', 0, 3)
  await file.close()
  assert.match(read('consumerOffset.json'), /"T@G":\{0:3/)
  assert.equal(clock.pendingTimers, 0)
})

test('a half written file falls back to the one before', async t => {
  const text = golden('consumerOffset.json')
  const { offsets, open } = create(t, false, {
    'consumerOffset.json': text.slice(0, 200),
    'consumerOffset.json.bak': text,
  })
  await open().close()
  assert.equal(offsets.query('G_Push', 'T_Tags', 0), 10)
})

test('quoted queue ids and offsets beyond what a number holds exactly are read', async t => {
  const text = '{"offsetTable":{"T@G":{"0":10,"1":9223372036854775807}}}'
  const { offsets, open } = create(t, false, { 'consumerOffset.json': text })
  await open().close()
  assert.equal(offsets.query('G', 'T', 0), 10)
  assert.ok(offsets.query('G', 'T', 1) >= Number.MAX_SAFE_INTEGER)
})
