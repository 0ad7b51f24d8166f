import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BrokerOptions } from '@rocketmq-ts/broker'
import { ResponseCode } from '@rocketmq-ts/protocol'
import { deferred } from '@rocketmq-ts/runtime'
import { FaultyDisk } from '../support/faulty-disk.js'
import { Peer, pull, send, sendRequest, startTestBroker } from '../support/test-broker.js'

async function start(t: TestContext, options: Partial<BrokerOptions> = {}) {
  const faults = new FaultyDisk()
  const broker = await startTestBroker(t, options, { disk: faults.disk })
  const peer = await Peer.connect(t, broker.port)
  await send(peer, { topic: 'T' })
  return { broker, peer, faults }
}

test('with SYNC_FLUSH an answer leaves when the message is on the device, and not before', async t => {
  const { broker, peer, faults } = await start(t, { flushDiskType: 'SYNC_FLUSH' })
  const stall = deferred()
  faults.stall = stall.promise
  let isAnswered = false
  const answer = send(peer, { topic: 'T' })
  void answer.then(() => {
    isAnswered = true
  })
  while (broker.store.watermarks.written === broker.store.watermarks.flushed) {
    await new Promise<void>(resolve => setImmediate(resolve))
  }
  const unwaited = await send(peer, { topic: 'T', properties: { WAIT: 'false' } })
  assert.equal(unwaited.code, 0)
  assert.equal(isAnswered, false)
  assert.equal((await pull(peer, { topic: 'T', offset: 1 })).code, ResponseCode.PULL_NOT_FOUND)
  faults.stall = undefined
  stall.resolve()
  assert.equal((await answer).code, 0)
  assert.equal(broker.store.watermarks.flushed >= Number(`0x${(await answer).extFields!.msgId!.slice(16)}`), true)
})

test('with SYNC_FLUSH a held pull hears of a message when it is on the device', async t => {
  const { broker, peer, faults } = await start(t, { flushDiskType: 'SYNC_FLUSH' })
  const stall = deferred()
  faults.stall = stall.promise
  const held = pull(peer, { topic: 'T', offset: 1, sysFlag: 6, suspendMs: 60_000 })
  const sent = send(peer, { topic: 'T', body: Buffer.from('safe') })
  while (broker.store.watermarks.written === broker.store.watermarks.flushed) {
    await new Promise<void>(resolve => setImmediate(resolve))
  }
  assert.equal(broker.heldPulls, 1)
  faults.stall = undefined
  stall.resolve()
  const answer = await held
  assert.equal(answer.code, 0)
  assert.match(answer.body!.toString('latin1'), /safe/)
  await sent
})

test('many senders share one flush of the device', async t => {
  const { peer } = await start(t, { flushDiskType: 'SYNC_FLUSH' })
  const answers = await Promise.all(peer.callMany(Array.from({ length: 500 }, () => sendRequest({ topic: 'T' }))))
  assert.ok(answers.every(answer => answer.code === 0))
})

test('a flush that takes too long is answered FLUSH_DISK_TIMEOUT with the place of the message', async t => {
  const { broker, peer, faults } = await start(t, { flushDiskType: 'SYNC_FLUSH', syncFlushTimeoutMs: 50 })
  const stall = deferred()
  faults.stall = stall.promise
  const answers = await Promise.all(peer.callMany([sendRequest({ topic: 'T' }), sendRequest({ topic: 'T' })]))
  faults.stall = undefined
  stall.resolve()
  assert.deepEqual(
    answers.map(({ code, extFields }) => [code, extFields!.queueOffset]),
    [
      [ResponseCode.FLUSH_DISK_TIMEOUT, '1'],
      [ResponseCode.FLUSH_DISK_TIMEOUT, '2'],
    ],
  )
  broker.options.syncFlushTimeoutMs = 60_000
  const next = await send(peer, { topic: 'T' })
  assert.deepEqual([next.code, next.extFields!.queueOffset], [0, '3'])
})

test('a full disk refuses sends with code 14, keeps serving pulls, and nothing refused is ever delivered (case R68)', async t => {
  const { broker, peer, faults } = await start(t)
  faults.isFull = true
  const [a, b] = await Promise.all(peer.callMany([sendRequest({ topic: 'T' }), sendRequest({ topic: 'T' })]))
  for (const answer of [a!, b!]) {
    assert.equal(answer.code, ResponseCode.SERVICE_NOT_AVAILABLE)
    assert.match(answer.remark!, /^service not available now\. .* the broker's disk is full \[/)
    assert.equal(answer.extFields!.MSG_REGION, 'DefaultRegion')
  }
  assert.equal((await pull(peer, { topic: 'T' })).code, 0)
  assert.equal(broker.store.maxOffset('T', 0), 1)
})

test('more unflushed sends than the broker allows are answered busy, oneway ones dropped', async t => {
  const { broker, peer, faults } = await start(t, { flushDiskType: 'SYNC_FLUSH', sendQueueCapacity: 1 })
  const stall = deferred()
  faults.stall = stall.promise
  const answers = peer.callMany(Array.from({ length: 12 }, () => sendRequest({ topic: 'T' })))
  const late = await Promise.all(answers.slice(10))
  for (const answer of late) {
    assert.equal(answer.code, ResponseCode.SYSTEM_BUSY)
    assert.equal(answer.remark, '[OVERLOAD]system busy, start flow control for a while')
  }
  const { code, ext, body } = sendRequest({ topic: 'T' })
  peer.sendOneway(code, ext, body)
  faults.stall = undefined
  stall.resolve()
  const stored = await Promise.all(answers.slice(0, 10))
  assert.ok(stored.every(answer => answer.code === 0))
  await send(peer, { topic: 'T' })
  assert.ok(broker.store.maxOffset('T', 0) <= 13)
})

test('a stopping broker refuses sends, and answers those it has taken in', async t => {
  const { broker, peer, faults } = await start(t, { flushDiskType: 'SYNC_FLUSH' })
  const stall = deferred()
  faults.stall = stall.promise
  const taken = send(peer, { topic: 'T' })
  while (broker.store.watermarks.written === broker.store.watermarks.flushed) {
    await new Promise<void>(resolve => setImmediate(resolve))
  }
  const closed = broker.close()
  await new Promise<void>(resolve => setImmediate(resolve))
  const refused = await send(peer, { topic: 'T' })
  assert.equal(refused.code, ResponseCode.SERVICE_NOT_AVAILABLE)
  faults.stall = undefined
  stall.resolve()
  assert.equal((await taken).code, 0)
  await closed
})
