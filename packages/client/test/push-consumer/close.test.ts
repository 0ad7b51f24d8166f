import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestCode } from '@rocketmq-ts/protocol'
import { deferred } from '@rocketmq-ts/runtime'
import { ConsumerScene } from '../support/consumer-scene.ts'
import { settle, until } from '../support/manual-clock.ts'

test('close waits for running handlers, then stores offsets, then unregisters, in this order', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 3; i++) scene.broker.put('orders', 0)
  const gate = deferred()
  let started = 0
  const consumer = await scene.push({ concurrency: 2, awaitTerminationMs: 10_000 })
  await consumer.start(async () => {
    started++
    await gate.promise
  })
  await until(() => started === 2, 'two handlers are at work')
  let isClosed = false
  const closing = consumer.close().then(() => {
    isClosed = true
  })
  await settle()
  assert.equal(isClosed, false)
  assert.equal(scene.broker.of(RequestCode.UNREGISTER_CLIENT).length, 0)
  gate.resolve()
  await closing
  assert.equal(started, 2, 'what was not started is left to the next owner')
  assert.equal(scene.broker.offset('g', 'orders', 0), 2)
  const tail = scene.broker.requests.map(({ code }) => code).slice(-3)
  assert.deepEqual(tail.at(-1), RequestCode.UNREGISTER_CLIENT)
  assert.ok(tail.indexOf(RequestCode.UPDATE_CONSUMER_OFFSET) < tail.indexOf(RequestCode.UNREGISTER_CLIENT))
})

test('close gives up on a handler after its time, and the message stays unconfirmed', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  let started = 0
  const consumer = await scene.push({ awaitTerminationMs: 2000 })
  await consumer.start(async () => {
    started++
    await new Promise(() => {})
  })
  await until(() => started === 1, 'the handler is at work')
  const closing = consumer.close()
  await settle()
  scene.clock.advance(2000)
  await closing
  assert.notEqual(scene.broker.offset('g', 'orders', 0), 1)
})

test('case R06: restarts in the middle of messages handle none of them more than twice and retry none', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 10; i++) scene.broker.put('orders', 0)
  const calls = new Map<number, number>()
  for (let restart = 0; restart < 5; restart++) {
    const consumer = await scene.push({ concurrency: 3, awaitTerminationMs: 60_000 })
    let isFirst = true
    const inTheMiddle = deferred()
    await consumer.start(async ([message]) => {
      calls.set(message!.queueOffset, (calls.get(message!.queueOffset) ?? 0) + 1)
      if (isFirst) inTheMiddle.resolve()
      isFirst = false
      await settle(3)
    })
    if (calls.size < 10) await inTheMiddle.promise
    await consumer.close()
  }
  const consumer = await scene.push()
  await consumer.start(([message]) => void calls.set(message!.queueOffset, (calls.get(message!.queueOffset) ?? 0) + 1))
  await until(() => calls.size === 10, 'all are handled')
  await consumer.close()
  assert.ok([...calls.values()].every(count => count <= 2))
  assert.equal(scene.broker.of(RequestCode.CONSUMER_SEND_MSG_BACK).length, 0)
  assert.equal(scene.broker.offset('g', 'orders', 0), 10)
})

test('case R15: with handlers finishing out of order the stored offset is the lowest unfinished one', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 10; i++) scene.broker.put('orders', 0)
  const gate = deferred()
  let finished = 0
  const consumer = await scene.push({ concurrency: 10, awaitTerminationMs: 1000 })
  await consumer.start(async ([message]) => {
    if (message!.queueOffset === 0) await gate.promise
    finished++
  })
  await until(() => finished === 9, 'all but the first are done')
  scene.clock.advance(5000)
  await settle()
  assert.ok((scene.broker.offset('g', 'orders', 0) ?? 0) === 0, 'the first one holds the offset')
  gate.resolve()
  await until(() => finished === 10, 'the first is done')
  await consumer.close()
  assert.equal(scene.broker.offset('g', 'orders', 0), 10)
})

test('close is safe at any moment: before the start, twice, and with the broker gone', async () => {
  await using scene = await ConsumerScene.start()
  const unused = await scene.push()
  await unused.close()
  assert.equal(unused.state, 'closed')
  const consumer = await scene.push()
  const starting = consumer.start(() => {})
  await Promise.all([consumer.close(), consumer.close(), starting])
  assert.equal(consumer.state, 'closed')
  const orphan = await scene.push()
  await orphan.start(() => {})
  await scene.broker.close()
  await scene.nameServer.close()
  await orphan.close()
  assert.equal(orphan.state, 'closed')
})
