import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OffsetStore } from '@rocketmq-ts/client'
import type { MessageQueue } from '@rocketmq-ts/model'
import { RequestCode, requestCommand, resetOffsetBody } from '@rocketmq-ts/protocol'
import { ConsumerScene } from '../support/consumer-scene.ts'
import { advanceUntil, settle, until } from '../support/manual-clock.ts'

const firstPull = (scene: ConsumerScene) =>
  scene.broker.of(RequestCode.PULL_MESSAGE).find(({ extFields }) => extFields?.topic === 'orders')?.extFields
    ?.queueOffset

for (const { from, expected } of [
  { from: 'CONSUME_FROM_LAST_OFFSET', expected: '3' },
  { from: 'CONSUME_FROM_FIRST_OFFSET', expected: '0' },
  { from: 'CONSUME_FROM_TIMESTAMP', expected: '1' },
] as const) {
  test(`a new group with ${from} begins an old queue of three messages at ${expected}`, async () => {
    await using scene = await ConsumerScene.start()
    for (let i = 0; i < 3; i++) scene.broker.put('orders', 0)
    scene.broker.script = ({ code }) => (code === RequestCode.QUERY_CONSUMER_OFFSET ? { code: 22 } : undefined)
    const consumer = await scene.push({ consumeFromWhere: from })
    await consumer.start(() => {})
    await until(() => firstPull(scene) !== undefined, 'the first pull')
    assert.equal(firstPull(scene), expected)
  })
}

test('case R03: "from last" replays a young topic as Java does, unless strictConsumeFromWhere is set', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  const asJava = await scene.push()
  await asJava.start(() => {})
  await until(() => firstPull(scene) !== undefined, 'the first pull')
  assert.equal(firstPull(scene), '0')
  assert.equal(scene.broker.of(RequestCode.QUERY_CONSUMER_OFFSET)[0]?.extFields?.setZeroIfNotFound, undefined)
  await asJava.close()

  await using other = await ConsumerScene.start()
  other.broker.put('orders', 0)
  const strict = await other.push({ strictConsumeFromWhere: true })
  await strict.start(() => {})
  await until(() => firstPull(other) !== undefined, 'the first pull')
  assert.equal(firstPull(other), '1')
  assert.equal(other.broker.of(RequestCode.QUERY_CONSUMER_OFFSET)[0]?.extFields?.setZeroIfNotFound, 'false')
})

test('an offset that cannot be asked for is asked for again; nothing is skipped meanwhile', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  let isBroken = true
  scene.broker.script = ({ code }) =>
    code === RequestCode.QUERY_CONSUMER_OFFSET && isBroken ? { code: 1, remark: 'no' } : undefined
  let count = 0
  const consumer = await scene.push()
  await consumer.start(() => void count++)
  scene.clock.advance(1000)
  await settle()
  assert.equal(firstPull(scene), undefined)
  isBroken = false
  await advanceUntil(scene.clock, () => count === 1, 'the message is consumed')
})

test('case R02: an offset beyond the end is corrected to what the broker says, not to the start', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 2; i++) scene.broker.put('orders', 0)
  scene.broker.offsets.set('g orders 0', 1000)
  const seen: number[] = []
  const consumer = await scene.push()
  await consumer.start(([message]) => void seen.push(message!.queueOffset))
  await until(() => scene.broker.offset('g', 'orders', 0) === 2, 'the correction is stored')
  await advanceUntil(scene.clock, () => scene.broker.heldCount === 2, 'the queue is pulled again')
  scene.broker.put('orders', 0)
  await until(() => seen.length === 1, 'the new message arrives')
  assert.deepEqual(seen, [2])
})

test('an offset below the oldest message is corrected upwards', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 5; i++) scene.broker.put('orders', 0)
  scene.broker.minOffset = 3
  scene.broker.offsets.set('g orders 0', 1)
  const seen: number[] = []
  const consumer = await scene.push()
  await consumer.start(([message]) => void seen.push(message!.queueOffset))
  await advanceUntil(scene.clock, () => seen.length === 2, 'what is left arrives')
  assert.deepEqual(seen, [3, 4])
})

test('a slave that knows less than the master does not set the consumer back', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 3; i++) scene.broker.put('orders', 0)
  scene.broker.offsets.set('g orders 0', 3)
  scene.setBrokers({ 1: scene.broker.address })
  const ext = { suggestWhichBrokerId: '0', nextBeginOffset: '0', minOffset: '0', maxOffset: '0' }
  scene.broker.script = ({ code, extFields }) =>
    code === RequestCode.PULL_MESSAGE && extFields?.topic === 'orders' ? { code: 21, ext } : undefined
  const consumer = await scene.push()
  await consumer.start(() => {})
  await until(() => firstPull(scene) !== undefined, 'the first pull')
  await settle()
  scene.clock.advance(1000)
  await settle()
  const offsets = scene.broker.of(RequestCode.PULL_MESSAGE).filter(({ extFields }) => extFields?.topic === 'orders')
  assert.ok(offsets.length >= 2)
  assert.ok(offsets.every(({ extFields }) => extFields?.queueOffset === '3'))
  assert.equal(scene.broker.offset('g', 'orders', 0), 3)
})

test('the broker id that an answer suggests gets the next pull, without a commit when it is a slave', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  scene.broker.put('orders', 0)
  scene.setBrokers({ 0: scene.broker.address, 1: scene.broker.address })
  let pulls = 0
  scene.broker.script = ({ code, extFields }) => {
    if (code !== RequestCode.PULL_MESSAGE || extFields?.topic !== 'orders' || pulls++ > 0) return undefined
    return { code: 20, ext: { suggestWhichBrokerId: '1', nextBeginOffset: '1', minOffset: '0', maxOffset: '2' } }
  }
  let count = 0
  const consumer = await scene.push()
  await consumer.start(() => void count++)
  await until(() => count === 1 && scene.broker.heldCount === 2, 'the second message is consumed')
  const flags = scene.broker.of(RequestCode.PULL_MESSAGE).filter(({ extFields }) => extFields?.topic === 'orders')
  assert.deepEqual(
    flags.map(({ extFields }) => Number(extFields?.sysFlag) & 1),
    [0, 0, 1],
  )
})

test('offsets reset by an operator drop what is in memory and begin anew', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 3; i++) scene.broker.put('orders', 0)
  const seen: number[] = []
  const consumer = await scene.push()
  await consumer.start(([message]) => void seen.push(message!.queueOffset))
  await until(() => seen.length === 3, 'all are consumed')
  const queue: MessageQueue = { topic: 'orders', brokerName: 'broker-a', queueId: 0 }
  const body = resetOffsetBody.encode({ offsetTable: new Map([[queue, 1]]) })
  const ext = { topic: 'orders', group: 'g', timestamp: '0', isForce: 'false', queueId: '-1' }
  scene.broker.tell(consumer.clientId!, requestCommand(RequestCode.RESET_CONSUMER_CLIENT_OFFSET, ext, body))
  await advanceUntil(scene.clock, () => seen.length === 5, 'they are consumed again')
  assert.deepEqual(seen, [0, 1, 2, 1, 2])
})

test('an offset store of the user gets every offset, and does no harm when it throws', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 3; i++) scene.broker.put('orders', 0)
  const updates: number[] = []
  const offsetStore: OffsetStore = {
    load: async () => {},
    update: (_key, _queue, offset) => {
      updates.push(offset)
      throw new Error('update')
    },
    updateAndFreeze: () => {},
    memory: () => {
      throw new Error('memory')
    },
    stored: async () => 1,
    persistAll: () => Promise.reject(new Error('persistAll')),
    persist: () => Promise.reject(new Error('persist')),
    remove: () => {
      throw new Error('remove')
    },
  }
  const seen: number[] = []
  const consumer = await scene.push({ offsetStore })
  await consumer.start(([message]) => void seen.push(message!.queueOffset))
  await until(() => seen.length === 2, 'all from the stored offset are consumed')
  scene.clock.advance(5000)
  await settle()
  await consumer.close()
  assert.deepEqual(seen, [1, 2])
  assert.ok(updates.includes(3))
})
