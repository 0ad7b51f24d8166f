import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { createProducer } from '@rocketmq-ts/client'
import { rejectionOf, startFakeCluster } from '../support/fake-cluster.ts'

test('a broker that never answers makes the send fail when its time is up', async () => {
  await using cluster = await startFakeCluster(1)
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  await producer.send({ topic: 'T', body: 'makes the connection' })
  cluster.brokers[0]!.script = () => 'silent'
  const error = await rejectionOf(producer.send({ topic: 'T', body: 'x' }, { timeoutMs: 60 }))
  assert.equal(error.code, 'SEND_FAILED')
  assert.equal((error.cause as { code: string }).code, 'REQUEST_TIMEOUT')
  assert.equal(producer.pendingCount, 0)
})

test('with a time-out per attempt, a silent broker leaves time for another one', async () => {
  await using cluster = await startFakeCluster(2)
  cluster.brokers[0]!.script = () => 'silent'
  const options = {
    nameServers: cluster.nameServer.address,
    group: 'g',
    sendTimeoutMs: 20_000,
    attemptTimeoutMs: 50,
    retryTimesWhenSendFailed: 50,
  }
  await using producer = await createProducer(options)
  for (let i = 0; i < 2; i++) {
    assert.equal((await producer.send({ topic: 'T', body: 'x' })).queue.brokerName, 'b1')
  }
})

test('a name server that never answers makes the send fail with NO_NAME_SERVER', async () => {
  await using cluster = await startFakeCluster(1)
  cluster.nameServer.isSilent = true
  const options = { nameServers: cluster.nameServer.address, group: 'g', requestTimeoutMs: 50, sendTimeoutMs: 60_000 }
  await using producer = await createProducer(options)
  assert.equal((await rejectionOf(producer.send({ topic: 'T', body: 'x' }))).code, 'NO_NAME_SERVER')
})

test('a send whose time is up before a route is known fails with REQUEST_TIMEOUT', async () => {
  await using cluster = await startFakeCluster(1)
  cluster.nameServer.isSilent = true
  const options = { nameServers: cluster.nameServer.address, group: 'g', requestTimeoutMs: 60_000 }
  await using producer = await createProducer(options)
  const error = await rejectionOf(producer.send({ topic: 'T', body: 'x' }, { timeoutMs: 20 }))
  assert.equal(error.code, 'REQUEST_TIMEOUT')
})

test('an abort before, while waiting for a route, and while waiting for the answer ends the send', async () => {
  await using cluster = await startFakeCluster(1)
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const reason = new Error('no longer wanted')
  const before = await rejectionOf(producer.send({ topic: 'T', body: 'x' }, { signal: AbortSignal.abort(reason) }))
  assert.equal(before.code, 'ABORTED')
  assert.equal(before.cause, reason)

  cluster.nameServer.isSilent = true
  const routing = new AbortController()
  const unrouted = rejectionOf(producer.send({ topic: 'T', body: 'x' }, { signal: routing.signal }))
  routing.abort(reason)
  assert.equal((await unrouted).code, 'ABORTED')
  cluster.nameServer.isSilent = false
  assert.equal(cluster.brokers[0]!.sends.length, 0)
})

test('an abort after the message left rejects at once, and the late answer is ignored', async () => {
  await using cluster = await startFakeCluster(1)
  const broker = cluster.brokers[0]!
  broker.script = () => 'silent'
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const controller = new AbortController()
  const send = rejectionOf(producer.send({ topic: 'T', body: 'x' }, { signal: controller.signal }))
  await broker.seen('sends', 1)
  controller.abort()
  assert.equal((await send).code, 'ABORTED')
  broker.answer(broker.sends[0]!)
  broker.script = () => 0
  assert.equal((await producer.send({ topic: 'T', body: 'y' })).status, 'SEND_OK')
  assert.equal(producer.pendingCount, 0)
})

test('any number of sends share a signal, which has one listener while they wait and none afterwards', async () => {
  await using cluster = await startFakeCluster(1)
  const broker = cluster.brokers[0]!
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  await producer.send({ topic: 'T', body: 'makes the connection' })
  broker.script = () => 'silent'
  const { signal } = new AbortController()
  const sends = Array.from({ length: 50 }, () => producer.send({ topic: 'T', body: 'x' }, { signal }))
  await broker.seen('sends', 51)
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  for (const send of broker.sends.slice(1)) broker.answer(send)
  await Promise.all(sends)
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('more messages than may be in flight wait, and leave in order as answers come', async () => {
  await using cluster = await startFakeCluster(1)
  const broker = cluster.brokers[0]!
  broker.script = () => 'silent'
  await using producer = await createProducer({
    nameServers: cluster.nameServer.address,
    group: 'g',
    inFlightMessagesMax: 2,
  })
  const sends = Array.from({ length: 5 }, (_, i) => producer.send({ topic: 'T', body: `${i}` }))
  for (let answered = 0; answered < 5; answered++) {
    await broker.seen('sends', Math.min(5, answered + 2))
    assert.equal(broker.sends.length, Math.min(5, answered + 2))
    broker.answer(broker.sends[answered]!)
    await sends[answered]
  }
  assert.deepEqual(
    broker.sends.map(send => send.body.toString()),
    ['0', '1', '2', '3', '4'],
  )
})

test('more bytes than may be in flight wait, but a body larger than the bound goes alone', async () => {
  await using cluster = await startFakeCluster(1)
  const broker = cluster.brokers[0]!
  broker.script = () => 'silent'
  const options = { nameServers: cluster.nameServer.address, group: 'g', inFlightBytesMax: 100 }
  await using producer = await createProducer(options)
  const large = producer.send({ topic: 'T', body: 'L'.repeat(150) })
  const small = producer.send({ topic: 'T', body: 's' })
  await broker.seen('sends', 1)
  assert.equal(broker.sends.length, 1)
  broker.answer(broker.sends[0]!)
  await large
  await broker.seen('sends', 2)
  broker.answer(broker.sends[1]!)
  await small
})

test('a message that finds no room within its time-out fails with TOO_MANY_REQUESTS', async () => {
  await using cluster = await startFakeCluster(1)
  const broker = cluster.brokers[0]!
  broker.script = () => 'silent'
  await using producer = await createProducer({
    nameServers: cluster.nameServer.address,
    group: 'g',
    inFlightMessagesMax: 1,
  })
  const first = producer.send({ topic: 'T', body: '1' })
  const second = await rejectionOf(producer.send({ topic: 'T', body: '2' }, { timeoutMs: 30 }))
  assert.equal(second.code, 'TOO_MANY_REQUESTS')
  await broker.seen('sends', 1)
  broker.answer(broker.sends[0]!)
  await first
  assert.equal(broker.sends.length, 1)
})

test('a full line refuses at once, and an aborted waiter gives up its place', async () => {
  await using cluster = await startFakeCluster(1)
  const broker = cluster.brokers[0]!
  broker.script = () => 'silent'
  const options = { nameServers: cluster.nameServer.address, group: 'g', inFlightMessagesMax: 1, waitingMessagesMax: 1 }
  await using producer = await createProducer(options)
  const first = producer.send({ topic: 'T', body: '1' })
  const controller = new AbortController()
  const waiting = rejectionOf(producer.send({ topic: 'T', body: '2' }, { signal: controller.signal }))
  assert.equal((await rejectionOf(producer.send({ topic: 'T', body: '3' }))).code, 'TOO_MANY_REQUESTS')
  controller.abort()
  assert.equal((await waiting).code, 'ABORTED')
  const fourth = producer.send({ topic: 'T', body: '4' })
  await broker.seen('sends', 1)
  broker.answer(broker.sends[0]!)
  await first
  await broker.seen('sends', 2)
  broker.answer(broker.sends[1]!)
  await fourth
  assert.deepEqual(
    broker.sends.map(send => send.body.toString()),
    ['1', '4'],
  )
})
