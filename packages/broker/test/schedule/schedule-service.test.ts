import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findProperty } from '@rocketmq-ts/model'
import { ScheduleRig } from '../support/schedule-rig.js'

async function started(...args: ConstructorParameters<typeof ScheduleRig>): Promise<ScheduleRig> {
  const rig = new ScheduleRig(...args)
  await rig.start()
  return rig
}

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

test('a delayed message comes at its millisecond, not before, with the time of its delivery', async () => {
  const rig = await started()
  rig.delay({ level: 2, topic: 'Orders', queueId: 3, body: 'five seconds', properties: { KEYS: 'k', TAGS: 'A' } })
  await rig.advance(4999)
  assert.deepEqual(await rig.bodies('Orders', 3), [])
  await rig.advance(1)
  const [message, ...others] = await rig.delivered('Orders', 3)
  assert.deepEqual(others, [])
  assert.equal(message!.body.toString(), 'five seconds')
  assert.equal(message!.storeTimestamp, rig.clock.now())
  assert.equal(message!.bornTimestamp, rig.clock.now() - 5003)
  assert.equal(findProperty(message!.propertiesText, 'DELAY'), '2')
  const found = await rig.store.queryIndex('Orders', 'k', 1, 0, rig.clock.now(), false)
  assert.equal(found.records.length, 1)
  await rig.stop()
})

test('levels have their own time and order; a message behind one that waits is not forgotten', async () => {
  const rig = await started()
  rig.delay({ level: 3, body: 'ten' })
  rig.delay({ level: 1, body: 'one' })
  await rig.advance(500)
  rig.delay({ level: 1, body: 'one and a half' })
  await rig.advance(500)
  assert.deepEqual(await rig.bodies(), ['one'])
  await rig.advance(500)
  assert.deepEqual(await rig.bodies(), ['one', 'one and a half'])
  await rig.advance(8500)
  assert.deepEqual(await rig.bodies(), ['one', 'one and a half', 'ten'])
  assert.deepEqual(rig.service.offsets.entries(), [
    [1, 2],
    [3, 1],
  ])
  await rig.stop()
})

test('after a stop delivery goes on where it was, with what became due meanwhile', async () => {
  const rig = await started()
  rig.delay({ level: 1, body: 'before' })
  rig.delay({ level: 2, body: 'meanwhile' })
  rig.delay({ level: 3, body: 'after' })
  await rig.advance(2000)
  await rig.stop()
  assert.match(rig.savedOffsets()!, /"offsetTable":\{1:1,2:0,3:0\}/)
  rig.clock.advance(4000)
  await rig.restart('killed')
  assert.deepEqual(await rig.bodies(), ['before', 'meanwhile'])
  await rig.advance(4000)
  assert.deepEqual(await rig.bodies(), ['before', 'meanwhile', 'after'])
  await rig.stop()
})

test('a killed broker delivers again what it delivered since its offsets were saved', async () => {
  const rig = await started()
  rig.delay({ level: 1, body: 'saved' })
  await rig.advance(10_500)
  rig.delay({ level: 1, body: 'not saved' })
  await rig.advance(1000)
  assert.match(rig.savedOffsets()!, /\{1:1\}/)
  await rig.restart('killed')
  await rig.advance(0)
  assert.deepEqual(await rig.bodies(), ['saved', 'not saved', 'not saved'])
  await rig.stop()
})

test('a saved offset outside of its queue is corrected, and said', async () => {
  const rig = new ScheduleRig()
  rig.disk.makeDirectory('/store/config')
  rig.disk.writeFile('/store/config/delayOffset.json', '{"offsetTable":{1:1000,"2":-3}}')
  await rig.start()
  assert.deepEqual(rig.service.offsets.entries(), [
    [1, 0],
    [2, 0],
  ])
  assert.equal(rig.errors.length, 2)
  rig.delay({ level: 1, body: 'new' })
  await rig.advance(1000)
  assert.deepEqual(await rig.bodies(), ['new'])
  await rig.stop()
})

test('messages that left the log before they were due are passed by', async () => {
  const rig = await started({
    fileReservedTimeHours: 1,
    deleteWhenHours: '0;1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;23',
  })
  for (const body of numbered('lost', 300)) rig.delay({ level: 18, body: body.padEnd(2000) })
  await rig.advance(3_599_000)
  rig.options.brokerRole = 'SLAVE'
  rig.delay({ level: 18, body: 'kept' })
  await rig.advance(3_600_000 + 60_000)
  for (let i = 0; i < 10 && rig.store.minPhysicalOffset === 0; i++) await rig.advance(60_000)
  assert.ok(rig.store.minPhysicalOffset > 0)
  rig.options.brokerRole = 'ASYNC_MASTER'
  await rig.advance(3_600_000)
  const bodies = await rig.bodies()
  assert.ok(bodies.length < 300 && bodies.at(-1) === 'kept')
  assert.equal(rig.service.offsets.get(18), 301)
  await rig.stop()
})

test('a message that can not be read or written lets those behind it pass, with one line in the log (case R29)', async () => {
  const rig = await started({ messageSizeMaxBytes: 65_536 })
  rig.delay({ level: 1, body: Buffer.alloc(65_536, 'a'), topic: 'Full' })
  rig.delay({ level: 1, body: Buffer.alloc(5000, 'b') })
  rig.delay({ level: 1, topic: 'x'.repeat(200) })
  rig.delay({ level: 1, topic: 'RMQ_SYS_TRANS_HALF_TOPIC' })
  rig.delay({ level: 1, body: 'behind' })
  rig.options.messageSizeMaxBytes = 65_536
  await rig.advance(500)
  assert.equal(rig.errors.length, 0)
  rig.options.messageSizeMaxBytes = 1000
  await rig.advance(500)
  assert.deepEqual(await rig.bodies(), ['behind'])
  assert.equal(rig.service.offsets.get(1), 5)
  assert.deepEqual(
    rig.errors.map(({ fields, message }) => [message, fields.queueOffset, fields.problem]),
    [['a delayed message is not delivered', 0, 'the store refuses it: MESSAGE_ILLEGAL']],
  )
  await rig.stop()
})

test('a body of just the limit arrives though its properties have grown (case R29)', async () => {
  const rig = await started({ messageSizeMaxBytes: 65_536 })
  rig.delay({ level: 1, body: Buffer.alloc(65_536, 'a') })
  await rig.advance(1000)
  assert.equal((await rig.delivered())[0]!.body.length, 65_536)
  await rig.stop()
})

test('a damaged message is not given out as if it were whole', async () => {
  const rig = await started()
  for (const body of ['one', 'two', 'three']) rig.delay({ level: 3, body })
  for (let i = 0; i < 40; i++) rig.delay({ level: 18, body: Buffer.alloc(4000) })
  await rig.advance(100)
  const path = '/store/commitlog/00000000000000000000'
  const bytes = rig.disk.readFile(path)!
  const at = bytes.indexOf('two')
  rig.disk.open(path).writeSync(Buffer.from('TWO'), 0, 3, at)
  await rig.advance(10_000)
  assert.deepEqual(await rig.bodies(), ['one', 'three'])
  assert.match(String(rig.errors[0]!.fields.problem), /body CRC/)
  await rig.stop()
})

test('a read that fails is tried again, and a message that never can be read is given up at last', async () => {
  const rig = await started()
  const { store } = rig
  for (const body of numbered('m', 10)) rig.delay({ level: 1, body })
  let calls = 0
  rig.intercept.recordsAt = async (offsets, sizes) => {
    const records = await store.recordsAt(offsets, sizes)
    calls++
    if (records.some(record => record!.includes('m4'))) throw new Error('a sector is gone')
    return records
  }
  await rig.advance(1000)
  assert.deepEqual(await rig.bodies(), [])
  for (let second = 0; second < 12; second++) await rig.advance(1000)
  assert.deepEqual(
    await rig.bodies(),
    numbered('m', 10).filter(body => body !== 'm4'),
  )
  assert.equal(rig.service.offsets.get(1), 10)
  assert.ok(calls < 20)
  await rig.stop()
})

test('a full disk pauses delivery; when there is space again all is delivered, once', async () => {
  const rig = await started()
  for (const body of numbered('m', 5)) rig.delay({ level: 1, body })
  await rig.advance(500)
  rig.disk.hook = (operation, path) => (operation === 'write' && path.includes('/commitlog/') ? 'ENOSPC' : undefined)
  await rig.advance(20_000)
  assert.deepEqual(await rig.bodies(), [])
  assert.equal(rig.service.offsets.get(1), 0)
  assert.ok(rig.stats.totals.putCount <= 5 * 21, 'one attempt a second')
  rig.disk.hook = undefined
  for (let second = 0; second < 30; second++) await rig.advance(1000)
  assert.equal(rig.store.state, 'running')
  assert.deepEqual(await rig.bodies(), numbered('m', 5))
  await rig.stop()
})

test("a clock that is set back doesn't hold messages longer than their delay; one set forward is noticed in a second", async () => {
  const rig = await started()
  rig.delay({ level: 2, body: 'back' })
  await rig.advance(100)
  rig.clock.skewMs -= 3_600_000
  await rig.advance(1000)
  assert.deepEqual(await rig.bodies(), ['back'])
  rig.delay({ level: 18, body: 'forward' })
  await rig.advance(10)
  // No more than a correction by the time service.
  rig.clock.skewMs -= 50
  await rig.advance(2000)
  assert.deepEqual(await rig.bodies(), ['back'])
  rig.clock.skewMs += 7_200_000
  await rig.advance(1000)
  assert.deepEqual(await rig.bodies(), ['back', 'forward'])
  await rig.stop()
})

test('messages of levels that the table no longer has are delivered', async () => {
  const rig = await started()
  rig.delay({ level: 18, body: 'two hours' })
  await rig.advance(100)
  await rig.stop()
  rig.options.messageDelayLevel = '1s 2s'
  await rig.restart('killed')
  await rig.advance(1000)
  assert.deepEqual(await rig.bodies(), ['two hours'])
  await rig.stop()
})

test('a slave delivers nothing', async () => {
  const rig = await started({ brokerRole: 'SLAVE' })
  rig.delay({ level: 1 })
  await rig.advance(60_000)
  assert.deepEqual(await rig.bodies(), [])
  await rig.stop()
})

test('messages that lie only in files are read in batches and delivered once, in order', async () => {
  const rig = await started()
  const bodies = numbered('m', 700).map(body => body.padEnd(500, '.'))
  for (const body of bodies) rig.delay({ level: 1, body })
  await rig.advance(500)
  await rig.stop()
  await rig.restart('killed')
  await rig.advance(1000)
  while ((rig.service.offsets.get(1) ?? 0) < 700) await rig.advance(0)
  assert.deepEqual(await rig.bodies(), bodies)
  await rig.stop()
})

test('a burst is spread over turns of the event loop', async () => {
  const rig = await started()
  for (let i = 0; i < 2000; i++) rig.delay({ level: 1, body: Buffer.alloc(4000) })
  await rig.advance(500)
  const turns: number[] = []
  rig.store.onWritten(offset => turns.push(offset))
  await rig.advance(500)
  while ((rig.service.offsets.get(1) ?? 0) < 2000) await rig.advance(0)
  const before = rig.store.maxOffset('T', 0)
  assert.equal(before, 2000)
  assert.ok(turns.length >= 4, `${turns.length} turns for 8 MiB`)
  const steps = turns.map((offset, i) => offset - (turns[i - 1] ?? offset))
  assert.ok(Math.max(...steps) < 3 * 1024 * 1024)
  await rig.stop()
})

test('deliver times are found in the extension of a consume queue as well', async () => {
  const rig = await started({ enableConsumeQueueExt: true, consumeQueueExtFileSizeBytes: 4096 })
  for (const body of numbered('m', 3)) rig.delay({ level: 2, body })
  await rig.advance(4999)
  assert.deepEqual(await rig.bodies(), [])
  await rig.advance(1)
  assert.deepEqual(await rig.bodies(), numbered('m', 3))
  await rig.stop()
})

test('a delayed message reaches light queues when it is due', async () => {
  const rig = await started({ enableLmq: true, enableMultiDispatch: true })
  rig.delay({ level: 1, body: 'light', properties: { INNER_MULTI_DISPATCH: '%LMQ%a' } })
  await rig.advance(999)
  assert.equal(rig.store.maxOffset('%LMQ%a', 0), 0)
  await rig.advance(1)
  assert.equal(rig.store.maxOffset('%LMQ%a', 0), 1)
  await rig.stop()
})

test("deliveries count as puts of their topic, and as if Java's group had pulled them", async () => {
  const rig = await started()
  rig.delay({ level: 1 })
  rig.delay({ level: 1 })
  await rig.advance(1000)
  rig.stats.sampleWindow(0)
  assert.equal(rig.stats.find('TOPIC_PUT_NUMS', 'T')!.statsMinute.sum, 2)
  assert.equal(rig.stats.find('GROUP_GET_NUMS', 'SCHEDULE_TOPIC_XXXX@SCHEDULE_CONSUMER')!.statsMinute.sum, 2)
  await rig.stop()
})
