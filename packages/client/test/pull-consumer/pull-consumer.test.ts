import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageQueue } from '@rocketmq-ts/model'
import { heartbeatData, RequestCode } from '@rocketmq-ts/protocol'
import { ConsumerScene } from '../support/consumer-scene.ts'
import { rejectionOf } from '../support/fake-cluster.ts'
import { advanceUntil, settle, until } from '../support/manual-clock.ts'

const queue: MessageQueue = { topic: 'orders', brokerName: 'broker-a', queueId: 0 }

test('queues are fetched from the name server', async () => {
  await using scene = await ConsumerScene.start({ orders: 2 })
  const consumer = await scene.pull()
  assert.deepEqual(await consumer.fetchMessageQueues('orders'), [queue, { ...queue, queueId: 1 }])
  assert.equal((await rejectionOf(consumer.fetchMessageQueues('unknown'))).code, 'NO_ROUTE')
})

test('a pull brings messages, the end of the queue, or the correction of its offset', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 3; i++) scene.broker.put('orders', 0, { body: `m${i}` })
  const consumer = await scene.pull()
  const found = await consumer.pull(queue, { offset: 1, maxCount: 1 })
  assert.equal(found.status, 'FOUND')
  assert.deepEqual(
    found.messages.map(message => message.text()),
    ['m1'],
  )
  assert.equal(found.nextBeginOffset, 2)
  assert.equal(found.maxOffset, 3)
  const end = await consumer.pull(queue, { offset: 3 })
  assert.equal(end.status, 'NO_NEW_MSG')
  assert.deepEqual(end.messages, [])
  const beyond = await consumer.pull(queue, { offset: 1000 })
  assert.equal(beyond.status, 'OFFSET_ILLEGAL')
  assert.equal(beyond.nextBeginOffset, 3, 'case R02: the end, not the start')
})

test('the expression travels with each pull and is checked again by the client', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0, { tags: 'Aa' })
  scene.broker.put('orders', 0, { tags: 'BB' })
  const consumer = await scene.pull()
  const result = await consumer.pull(queue, { offset: 0, expression: 'BB' })
  assert.deepEqual(
    result.messages.map(message => message.tags),
    ['BB'],
  )
  const [pull] = scene.broker.of(RequestCode.PULL_MESSAGE)
  assert.equal(pull?.extFields?.sysFlag, '4')
  assert.equal(pull?.extFields?.subscription, 'BB')
  assert.equal(pull?.extFields?.subVersion, '0')
})

test('a blocking pull is held until a message comes', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await scene.pull()
  const pulling = consumer.pullBlockIfNotFound(queue, { offset: 0 })
  await until(() => scene.broker.heldCount === 1, 'the pull is held')
  const [pull] = scene.broker.of(RequestCode.PULL_MESSAGE)
  assert.equal(pull?.extFields?.sysFlag, '6')
  assert.equal(pull?.extFields?.suspendTimeoutMillis, '20000')
  scene.broker.put('orders', 0, { body: 'late' })
  assert.deepEqual(
    (await pulling).messages.map(message => message.text()),
    ['late'],
  )
})

test('a blocking pull can be aborted, and times out by itself', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await scene.pull()
  const stop = new AbortController()
  const aborted = rejectionOf(consumer.pullBlockIfNotFound(queue, { offset: 0, signal: stop.signal }))
  await until(() => scene.broker.heldCount === 1, 'the pull is held')
  stop.abort()
  assert.equal((await aborted).code, 'ABORTED')
  const late = rejectionOf(consumer.pullBlockIfNotFound(queue, { offset: 0, timeoutMs: 500 }))
  await until(() => scene.broker.heldCount === 2, 'the pull is held')
  let error: { code: string } | undefined
  void late.then(rejection => {
    error = rejection
  })
  await advanceUntil(scene.clock, () => error !== undefined, 'the time-out')
  assert.equal(error?.code, 'REQUEST_TIMEOUT')
})

test('offsets that the user sets are stored by the timer, at once when asked, and at the end', async () => {
  await using scene = await ConsumerScene.start({ orders: 2 })
  const consumer = await scene.pull()
  assert.equal(await consumer.fetchConsumeOffset(queue), undefined)
  consumer.updateConsumeOffset(queue, 5)
  assert.equal(await consumer.fetchConsumeOffset(queue), 5)
  assert.equal(await consumer.fetchConsumeOffset(queue, { fromStore: true }), undefined)
  consumer.updateConsumeOffset(queue, 6)
  scene.clock.advance(5000)
  await until(() => scene.broker.offset('g', 'orders', 0) === 6, 'the timer stores it')
  consumer.updateConsumeOffset(queue, 7)
  await consumer.persistConsumeOffset(queue)
  assert.equal(scene.broker.offset('g', 'orders', 0), 7)
  consumer.updateConsumeOffset({ ...queue, queueId: 1 }, 3)
  await consumer.close()
  assert.equal(scene.broker.offset('g', 'orders', 1), 3)
  assert.throws(() => consumer.updateConsumeOffset(queue, 1), { code: 'INVALID_STATE' })
})

test('bounds and times of a queue are asked of its broker', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 3; i++) scene.broker.put('orders', 0)
  scene.broker.minOffset = 1
  const consumer = await scene.pull()
  await consumer.fetchMessageQueues('orders')
  assert.equal(await consumer.maxOffset(queue), 3)
  assert.equal(await consumer.minOffset(queue), 1)
  assert.equal(await consumer.searchOffset(queue, new Date(1000), 'UPPER'), 1)
  const [search] = scene.broker.of(RequestCode.SEARCH_OFFSET_BY_TIMESTAMP)
  assert.equal(search?.extFields?.timestamp, '1000')
  assert.equal(search?.extFields?.boundaryType, 'UPPER')
})

test('a message can be sent back for the group', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  const consumer = await scene.pull()
  const { messages } = await consumer.pull(queue, { offset: 0 })
  await consumer.sendMessageBack(messages[0]!, { delayLevel: 2 })
  const [sentBack] = scene.broker.of(RequestCode.CONSUMER_SEND_MSG_BACK)
  assert.equal(sentBack?.extFields?.offset, '1000')
  assert.equal(sentBack?.extFields?.delayLevel, '2')
})

test('the queues of subscribed topics are divided among the members, and changes are told', async () => {
  await using scene = await ConsumerScene.start({ orders: 4 })
  const changes: number[] = []
  const subscriptions = { orders: '*' }
  const first = await scene.pull({ subscriptions, onQueuesChanged: (_topic, _all, mine) => changes.push(mine.length) })
  assert.equal(first.queuesInBalance('orders').length, 4)
  const data = heartbeatData.decode(scene.broker.of(RequestCode.HEART_BEAT)[0]!.body!)
  assert.equal(data.consumerDataSet[0]?.consumeType, 'CONSUME_ACTIVELY')
  assert.deepEqual(
    data.consumerDataSet[0]?.subscriptionDataSet.map(({ topic }) => topic),
    ['orders'],
  )
  const second = await scene.pull({ subscriptions })
  await advanceUntil(scene.clock, () => first.queuesInBalance('orders').length === 2, 'half of the queues remain')
  assert.equal(second.queuesInBalance('orders').length, 2)
  assert.deepEqual(changes, [4, 2])
})

test('wrong arguments are refused before anything is sent', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await scene.pull()
  for (const options of [{ offset: -1 }, { offset: 0.5 }, { offset: 0, maxCount: 0 }]) {
    assert.equal((await rejectionOf(consumer.pull(queue, options))).code, 'INVALID_ARGUMENT')
  }
  await settle()
  assert.equal(scene.broker.of(RequestCode.PULL_MESSAGE).length, 0)
  const error = await rejectionOf(scene.pull({ brokerSuspendMaxTimeMs: 40_000 }))
  assert.match(error.message, /consumerTimeoutMsWhenSuspend/)
})
