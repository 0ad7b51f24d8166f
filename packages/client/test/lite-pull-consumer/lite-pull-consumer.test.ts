import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LitePullConsumer, MessageQueue, ReceivedMessage } from '@rocketmq-ts/client'
import { heartbeatData, RequestCode } from '@rocketmq-ts/protocol'
import { ConsumerScene } from '../support/consumer-scene.ts'
import { rejectionOf } from '../support/fake-cluster.ts'
import { advanceUntil, settle, until } from '../support/manual-clock.ts'

const queue: MessageQueue = { topic: 'orders', brokerName: 'broker-a', queueId: 0 }
const other: MessageQueue = { ...queue, queueId: 1 }
const orders = { subscriptions: { orders: '*' }, consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET' as const }
const texts = (messages: readonly ReceivedMessage[]) => messages.map(message => message.text())
const committed = (scene: ConsumerScene, queueId = 0) => scene.broker.offset('g', 'orders', queueId)

function put(scene: ConsumerScene, count: number, queueId = 0): void {
  for (let i = 1; i <= count; i++) scene.broker.put('orders', queueId, { body: String(i) })
}

/** Polls, turning the loop, until `count` messages are here. */
async function pollAll(consumer: LitePullConsumer, count: number): Promise<string[]> {
  const got: string[] = []
  await until(() => consumer.assignment().length > 0, 'queues are assigned')
  while (got.length < count)
    got.push(...texts(await consumer.poll({ timeoutMs: 60_000, maxCount: count - got.length })))
  return got
}

test('polls bring the messages of subscribed topics in order, at most as many as asked for', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 5)
  const consumer = await scene.lite(orders)
  assert.deepEqual(await pollAll(consumer, 2), ['1', '2'])
  assert.deepEqual(await pollAll(consumer, 3), ['3', '4', '5'])
})

test('a poll waits for the first message, for its time, for its signal, or for the end of the consumer', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await scene.lite({ ...orders, pollTimeoutMs: 700 })
  const inTime = consumer.poll()
  await settle()
  put(scene, 1)
  assert.deepEqual(texts(await inTime), ['1'])
  let isOver = false
  const late = consumer.poll().finally(() => {
    isOver = true
  })
  scene.clock.advance(699)
  await settle()
  assert.equal(isOver, false)
  scene.clock.advance(1)
  assert.deepEqual(await late, [])
  assert.deepEqual(await consumer.poll({ timeoutMs: 0 }), [])
  const controller = new AbortController()
  const aborted = consumer.poll({ signal: controller.signal })
  controller.abort()
  assert.deepEqual(await aborted, [])
  const closed = consumer.poll()
  await consumer.close()
  assert.deepEqual(await closed, [])
  assert.equal((await rejectionOf(consumer.poll())).code, 'INVALID_STATE')
})

test('what was polled is committed by a later poll, five seconds apart; the last one is not', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 4)
  const consumer = await scene.lite(orders)
  assert.deepEqual(await pollAll(consumer, 1), ['1'])
  await pollAll(consumer, 1)
  await settle()
  assert.equal(committed(scene) ?? 0, 0)
  scene.clock.advance(5000)
  await pollAll(consumer, 1)
  await until(() => committed(scene) === 2, 'what two polls brought is committed')
  await pollAll(consumer, 1)
  await consumer.close()
  assert.equal(committed(scene), 3)
})

test('with autoCommit off only commit() commits: all that was polled, or the given offsets', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 4)
  const consumer = await scene.lite({ ...orders, autoCommit: false })
  await pollAll(consumer, 3)
  scene.clock.advance(20_000)
  await consumer.poll({ timeoutMs: 0, maxCount: 1 })
  await settle()
  assert.equal(committed(scene) ?? 0, 0)
  await consumer.commit()
  assert.equal(committed(scene), 4)
  await consumer.commit(new Map([[queue, 2]]))
  assert.equal(committed(scene), 2)
  assert.equal(await consumer.committed(queue), 2)
  assert.equal((await rejectionOf(consumer.commit(new Map([[other, 2]])))).code, 'INVALID_ARGUMENT')
  await consumer.close()
  assert.equal(committed(scene), 2)
})

test('assigned queues are read without a rebalance, and given up with the next assignment', async () => {
  await using scene = await ConsumerScene.start({ orders: 2 })
  put(scene, 2, 0)
  put(scene, 1, 1)
  const consumer = await scene.lite({ consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET' })
  await consumer.assign([queue])
  assert.deepEqual(await pollAll(consumer, 2), ['1', '2'])
  await consumer.assign([other])
  assert.deepEqual(consumer.assignment(), [other])
  assert.deepEqual(await pollAll(consumer, 1), ['1'])
  assert.deepEqual(scene.broker.of(RequestCode.GET_CONSUMER_LIST_BY_GROUP), [])
  const beats = scene.broker.of(RequestCode.HEART_BEAT).map(({ body }) => heartbeatData.decode(body as Buffer))
  for (const beat of beats) {
    assert.equal(beat.consumerDataSet[0]?.consumeType, 'CONSUME_ACTIVELY')
    assert.equal(beat.consumerDataSet[0]?.subscriptionDataSet.length, 0)
  }
})

test('assign is refused to a consumer with subscriptions', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await scene.lite(orders)
  const error = await rejectionOf(consumer.assign([queue]))
  assert.equal(error.code, 'INVALID_STATE')
  assert.match(error.message, /Subscribe and assign are mutually exclusive\.$/)
})

test('seek goes to an offset, the begin or the end; what was pulled before is forgotten', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 6)
  const consumer = await scene.lite({ ...orders, autoCommit: false })
  await pollAll(consumer, 2)
  await consumer.seek(queue, 4)
  assert.deepEqual(await pollAll(consumer, 2), ['5', '6'])
  await consumer.seekToBegin(queue)
  assert.deepEqual(await pollAll(consumer, 1), ['1'])
  await consumer.seekToEnd(queue)
  await settle()
  put(scene, 1)
  assert.deepEqual(await pollAll(consumer, 1), ['1'])
  assert.equal((await consumer.poll({ timeoutMs: 0 })).length, 0)
  await consumer.commit()
  assert.equal(committed(scene), 7)
  const beyond = await rejectionOf(consumer.seek(queue, 8))
  assert.match(beyond.message, /Seek offset illegal, seek offset = 8, min offset = 0, max offset = 7$/)
  const unknown = await rejectionOf(consumer.seek(other, 0))
  assert.match(unknown.message, /The message queue is not in assigned list, may be rebalancing/)
})

test('a paused queue is not pulled, others are; resumed it goes on where it was', async () => {
  await using scene = await ConsumerScene.start({ orders: 2 })
  const consumer = await scene.lite(orders)
  await until(() => consumer.assignment().length === 2 && scene.broker.heldCount === 2, 'both are pulled')
  consumer.pause([queue])
  scene.broker.releaseHeld()
  await until(() => scene.broker.heldCount === 1, 'one is pulled')
  put(scene, 2, 0)
  put(scene, 1, 1)
  const [message] = await consumer.poll({ timeoutMs: 60_000 })
  assert.equal(message?.queueId, 1)
  await settle()
  assert.deepEqual(await consumer.poll({ timeoutMs: 0 }), [])
  scene.clock.advance(200_000)
  await settle()
  assert.equal(consumer.assignment().length, 2, 'a pause is no dead pull loop')
  consumer.resume([queue])
  assert.deepEqual(await pollAll(consumer, 2), ['1', '2'])
})

test('pulls stop at the threshold until messages are polled', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 60)
  const consumer = await scene.lite({ ...orders, pullThresholdForQueue: 10, pullBatchSize: 8 })
  await settle(60)
  const pulls = () => scene.broker.of(RequestCode.PULL_MESSAGE).length
  assert.equal(pulls(), 2)
  assert.equal((await pollAll(consumer, 60)).at(-1), '60')
})

test('the iterator gives one message after the other; the one at which it is left is not committed', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 4)
  const consumer = await scene.lite(orders)
  const seen: string[] = []
  for await (const message of consumer.messages()) {
    seen.push(message.text())
    if (seen.length === 3) break
  }
  assert.deepEqual(seen, ['1', '2', '3'])
  await consumer.close()
  assert.equal(committed(scene), 2)
})

test('the iterator ends with its signal or the consumer, and only one asker is allowed', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await scene.lite(orders)
  const controller = new AbortController()
  const first = consumer.messages({ signal: controller.signal }).next()
  assert.equal((await rejectionOf(consumer.poll())).code, 'INVALID_STATE')
  controller.abort()
  assert.equal((await first).done, true)
  const second = consumer.messages().next()
  await consumer.close()
  assert.equal((await second).done, true)
})

test('a member that joins takes its share, each message is handed out once, and listeners hear of the change', async () => {
  await using scene = await ConsumerScene.start({ orders: 2 })
  const changes: number[] = []
  const first = await scene.lite({ ...orders, onQueuesChanged: (_topic, _all, mine) => changes.push(mine.length) })
  put(scene, 3, 0)
  put(scene, 3, 1)
  await pollAll(first, 6)
  assert.deepEqual(await first.poll({ timeoutMs: 0 }), [])
  const second = await scene.lite(orders)
  await advanceUntil(scene.clock, () => first.assignment().length === 1, 'the first gives one up')
  assert.deepEqual(changes, [2, 1])
  put(scene, 2, 0)
  put(scene, 2, 1)
  const got: string[] = []
  await advanceUntil(scene.clock, () => second.assignment().length === 1 && scene.broker.heldCount >= 2, 'both pull')
  for (const consumer of [first, second]) got.push(...(await pollAll(consumer, 2)))
  assert.deepEqual(got, ['1', '2', '1', '2'])
})

test('a topic that grows is told to who watches it', async () => {
  await using scene = await ConsumerScene.start({ orders: 1 })
  const consumer = await scene.lite(orders)
  const seen: number[] = []
  const unwatch = consumer.watchQueues('orders', queues => seen.push(queues.length))
  scene.nameServer.routes.set('orders', [scene.broker.route(3)])
  await advanceUntil(scene.clock, () => seen.length === 1, 'the listener is told', 1000)
  unwatch()
  assert.deepEqual(seen, [3])
})

test('times are found, settings are checked', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 3)
  const consumer = await scene.lite(orders)
  assert.equal(await consumer.offsetForTimestamp(queue, new Date()), 1)
  assert.deepEqual(await consumer.fetchMessageQueues('orders'), [queue])
  assert.equal((await rejectionOf(consumer.poll({ timeoutMs: -1 }))).code, 'INVALID_ARGUMENT')
  assert.equal((await rejectionOf(scene.lite({ autoCommitIntervalMs: 10 }))).code, 'INVALID_ARGUMENT')
  const unknown = { ...orders, orderly: true }
  assert.equal((await rejectionOf(scene.lite(unknown))).code, 'INVALID_ARGUMENT')
})
