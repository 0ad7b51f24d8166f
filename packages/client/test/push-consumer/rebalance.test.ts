import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PushConsumer } from '@rocketmq-ts/client'
import { RequestCode } from '@rocketmq-ts/protocol'
import { deferred } from '@rocketmq-ts/runtime'
import { ConsumerScene } from '../support/consumer-scene.ts'
import { advanceUntil, settle, until } from '../support/manual-clock.ts'

const queuesOf = (consumer: PushConsumer) =>
  consumer.heldQueues
    .filter(({ topic }) => topic === 'orders')
    .map(({ queueId }) => queueId)
    .sort()

test('a lone member holds all queues after its start', async () => {
  await using scene = await ConsumerScene.start({ orders: 4 })
  const consumer = await scene.push()
  await consumer.start(() => {})
  assert.deepEqual(queuesOf(consumer), [0, 1, 2, 3])
})

test('members that join and leave divide the queues anew, each queue with one owner', async () => {
  await using scene = await ConsumerScene.start({ orders: 4 })
  const first = await scene.push()
  await first.start(() => {})
  const second = await scene.push()
  await second.start(() => {})
  assert.notEqual(first.clientId, second.clientId)
  await advanceUntil(scene.clock, () => queuesOf(first).length === 2, 'the first gives half of its queues up')
  assert.deepEqual([...queuesOf(first), ...queuesOf(second)].sort(), [0, 1, 2, 3])
  await second.close()
  scene.broker.notifyChanged('g')
  await advanceUntil(scene.clock, () => queuesOf(first).length === 4, 'the first takes them back')
})

test('a message is handled once while queues move between members', async () => {
  await using scene = await ConsumerScene.start({ orders: 4 })
  const handled = new Map<string, number>()
  let sent = 0
  const send = (count: number) => {
    for (let i = 0; i < count; i++) scene.broker.put('orders', i % 4, { uniqueKey: `m${sent++}` })
  }
  const handler = async ([message]: readonly { messageId: string }[]) => {
    await settle(1)
    handled.set(message!.messageId, (handled.get(message!.messageId) ?? 0) + 1)
  }
  send(40)
  const first = await scene.push({ awaitTerminationMs: 10_000 })
  await first.start(handler)
  send(40)
  const second = await scene.push({ awaitTerminationMs: 10_000 })
  await second.start(handler)
  send(40)
  await advanceUntil(scene.clock, () => handled.size === 120 && queuesOf(first).length === 2, 'all are handled by two')
  await first.close()
  scene.broker.notifyChanged('g')
  send(40)
  await advanceUntil(scene.clock, () => handled.size === 160, 'all are handled by the one who stays')
  assert.ok(
    [...handled.values()].every(count => count === 1),
    JSON.stringify([...handled].filter(([, n]) => n > 1)),
  )
})

test('a queue that is given up waits a moment for its handlers, whose results count', async () => {
  await using scene = await ConsumerScene.start({ orders: 2 })
  scene.broker.put('orders', 1)
  const gate = deferred()
  let started = 0
  const first = await scene.push()
  await first.start(async () => {
    started++
    await gate.promise
  })
  await until(() => started === 1, 'the handler is at work')
  const second = await scene.push()
  await second.start(() => {})
  scene.clock.advance(1000)
  await settle()
  gate.resolve()
  await until(() => queuesOf(first).length === 1, 'the queue is given up')
  await until(() => scene.broker.offset('g', 'orders', 1) === 1, 'with the offset after its message')
})

test('a handler that outlasts its queue changes nothing any more', async () => {
  await using scene = await ConsumerScene.start({ orders: 2 })
  scene.broker.put('orders', 1)
  const gate = deferred()
  let started = 0
  const first = await scene.push()
  await first.start(async () => {
    started++
    await gate.promise
    throw new Error('too late')
  })
  await until(() => started === 1, 'the handler is at work')
  scene.broker.members.get('g')!.add('10.0.0.2@another')
  scene.broker.notifyChanged('g')
  await advanceUntil(scene.clock, () => queuesOf(first).length === 1, 'the queue is given up')
  const requests = scene.broker.requests.length
  gate.resolve()
  await settle()
  assert.equal(scene.broker.requests.length, requests, 'no send-back, no offset')
})

test('a member that the broker does not list keeps its queues and announces itself again', async () => {
  await using scene = await ConsumerScene.start({ orders: 2 })
  const consumer = await scene.push()
  await consumer.start(() => {})
  scene.broker.members.get('g')!.clear()
  scene.broker.members.get('g')!.add('somebody else')
  const heartbeats = scene.broker.of(RequestCode.HEART_BEAT).length
  scene.clock.advance(20_000)
  await until(() => scene.broker.of(RequestCode.HEART_BEAT).length > heartbeats, 'a heartbeat')
  assert.deepEqual(queuesOf(consumer), [0, 1])
  await advanceUntil(scene.clock, () => queuesOf(consumer).length === 1, 'then the queues are divided')
})

test('when the broker cannot be asked for members, what is held stays', async () => {
  await using scene = await ConsumerScene.start({ orders: 2 })
  const consumer = await scene.push()
  await consumer.start(() => {})
  scene.broker.script = ({ code }) =>
    code === RequestCode.GET_CONSUMER_LIST_BY_GROUP ? { code: 2, remark: 'busy' } : undefined
  const asked = () => scene.broker.of(RequestCode.GET_CONSUMER_LIST_BY_GROUP).length
  const before = asked()
  scene.clock.advance(20_000)
  await until(() => asked() >= before + 2, 'members were asked for')
  await settle()
  assert.deepEqual(queuesOf(consumer), [0, 1])
})

test('a topic that comes into being later is consumed without a restart', async () => {
  await using scene = await ConsumerScene.start()
  let count = 0
  const consumer = await scene.push({ subscriptions: { later: '*' } })
  await consumer.start(() => void count++)
  assert.deepEqual(
    consumer.heldQueues.map(({ topic }) => topic),
    ['%RETRY%g'],
  )
  scene.nameServer.routes.set('later', [scene.broker.route(1)])
  scene.broker.put('later', 0)
  await advanceUntil(scene.clock, () => count === 1, 'the message is consumed')
})

test('queues added to a topic are taken when the route is refreshed', async () => {
  await using scene = await ConsumerScene.start({ orders: 1 })
  const consumer = await scene.push()
  await consumer.start(() => {})
  scene.nameServer.routes.set('orders', [scene.broker.route(3)])
  await advanceUntil(scene.clock, () => queuesOf(consumer).length === 3, 'three queues are held', 1000)
})

test('case R13: consumers of one process and one group are members of their own', async () => {
  await using scene = await ConsumerScene.start({ orders: 4 })
  const consumers = await Promise.all([scene.push(), scene.push(), scene.push(), scene.push()])
  for (const consumer of consumers) await consumer.start(() => {})
  await advanceUntil(scene.clock, () => consumers.every(consumer => queuesOf(consumer).length === 1), 'one queue each')
  assert.equal(new Set(consumers.map(consumer => consumer.clientId)).size, 4)
  assert.equal(new Set(consumers.flatMap(queuesOf)).size, 4)
})
