import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestCode } from '@rocketmq-ts/protocol'
import { ConsumerScene } from '../support/consumer-scene.ts'
import { rejectionOf } from '../support/fake-cluster.ts'
import { advanceUntil, settle, until } from '../support/manual-clock.ts'

test('messages can be iterated; what is acknowledged moves the offset', async () => {
  await using scene = await ConsumerScene.start({ orders: 2 })
  for (let i = 0; i < 6; i++) scene.broker.put('orders', i % 2)
  const consumer = await scene.push()
  let count = 0
  for await (const message of consumer.messages()) {
    message.ack()
    if (++count === 6) break
  }
  await consumer.close()
  assert.equal(scene.broker.offset('g', 'orders', 0), 3)
  assert.equal(scene.broker.offset('g', 'orders', 1), 3)
})

test('an iterator waits for messages that come later, and ends with its signal', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await scene.push()
  const stop = new AbortController()
  const bodies: string[] = []
  const loop = (async () => {
    for await (const message of consumer.messages({ signal: stop.signal })) {
      bodies.push(message.text())
      message.ack()
    }
  })()
  await until(() => scene.broker.heldCount === 2, 'the consumer has started by itself and waits')
  scene.broker.put('orders', 0, { body: 'late' })
  await until(() => bodies.length === 1, 'the message comes')
  stop.abort()
  await loop
  assert.equal(consumer.state, 'running')
})

test('the loop ends when the consumer is closed', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await scene.push()
  const loop = (async () => {
    for await (const message of consumer.messages()) message.ack()
    return 'ended'
  })()
  await until(() => scene.broker.heldCount === 2, 'the consumer waits')
  await consumer.close()
  assert.equal(await loop, 'ended')
  const { done } = await consumer.messages()[Symbol.asyncIterator]().next()
  assert.equal(done, true)
})

test('a loop that does not acknowledge is not given more than flow control allows', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 100; i++) scene.broker.put('orders', 0)
  const consumer = await scene.push({ pullThresholdForQueue: 10, pullBatchSize: 4 })
  const held: { ack(): void }[] = []
  const loop = (async () => {
    for await (const message of consumer.messages()) held.push(message)
  })()
  await until(() => held.length === 12, 'three pulls are here')
  await settle(50)
  assert.equal(held.length, 12, 'no more comes')
  for (const message of held.splice(0)) message.ack()
  await until(() => held.length === 12, 'acknowledging lets more in')
  await consumer.close({ awaitTerminationMs: 0 })
  await loop
  assert.equal(scene.broker.offset('g', 'orders', 0), 12)
})

test('retry sends a message back with the delay asked for; a second word about it counts for nothing', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  const consumer = await scene.push()
  for await (const message of consumer.messages()) {
    message.retry({ delayLevel: 5 })
    message.retry()
    message.ack()
    break
  }
  const sentBack = () => scene.broker.of(RequestCode.CONSUMER_SEND_MSG_BACK)
  await until(() => sentBack().length === 1, 'it is sent back')
  await settle()
  await consumer.close()
  assert.deepEqual(
    sentBack().map(({ extFields }) => extFields?.delayLevel),
    ['5'],
  )
  assert.equal(scene.broker.offset('g', 'orders', 0), 1)
})

test('a message at which the loop is left goes to the next loop', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0, { body: 'first' })
  scene.broker.put('orders', 0, { body: 'second' })
  const consumer = await scene.push()
  for await (const message of consumer.messages()) {
    assert.equal(message.text(), 'first')
    break
  }
  const again: string[] = []
  for await (const message of consumer.messages()) {
    again.push(message.text())
    message.ack()
    if (again.length === 2) break
  }
  assert.deepEqual(again, ['first', 'second'])
})

test('with autoAck a message is acknowledged when the next one is asked for', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 3; i++) scene.broker.put('orders', 0)
  const consumer = await scene.push()
  let count = 0
  for await (const message of consumer.messages({ autoAck: true })) {
    assert.equal(message.queueOffset, count)
    if (++count === 3) break
  }
  await consumer.close()
  assert.equal(scene.broker.offset('g', 'orders', 0), 2, 'the one at which the loop was left is not done')
})

test('close waits for what the loop is working on', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  scene.broker.put('orders', 0)
  const consumer = await scene.push({ awaitTerminationMs: 10_000 })
  let closing: Promise<void> | undefined
  for await (const message of consumer.messages()) {
    closing = consumer.close()
    await settle()
    message.ack()
  }
  await closing
  assert.equal(scene.broker.offset('g', 'orders', 0), 1)
})

test('a message that is kept for longer than the consume time-out is sent back', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  const consumer = await scene.push({ consumeTimeoutMs: 30_000 })
  const iterator = consumer.messages()
  const { value: message } = await iterator.next()
  const sentBack = () => scene.broker.of(RequestCode.CONSUMER_SEND_MSG_BACK).length
  await advanceUntil(scene.clock, () => sentBack() === 1, 'it is sent back', 1000)
  message?.ack()
  await settle()
  await consumer.close()
  assert.equal(sentBack(), 1)
  assert.equal(scene.broker.offset('g', 'orders', 0), 1)
})

test('several loops share the messages', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 30; i++) scene.broker.put('orders', 0)
  const consumer = await scene.push()
  const seen: number[] = []
  const work = async () => {
    for await (const message of consumer.messages()) {
      seen.push(message.queueOffset)
      await settle(1)
      message.ack()
    }
  }
  const loops = [work(), work(), work()]
  await until(() => seen.length === 30, 'all are seen')
  await consumer.close({ awaitTerminationMs: 10_000 })
  await Promise.all(loops)
  assert.deepEqual(
    [...seen].sort((a, b) => a - b),
    Array.from({ length: 30 }, (_, i) => i),
  )
})

test('handler and iterator exclude each other', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await scene.push()
  await consumer.start(() => {})
  assert.equal((await rejectionOf(consumer.messages().next())).code, 'INVALID_STATE')
})
