import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { RequestCode, ResponseCode } from '@rocketmq-ts/protocol'
import { type Clock, RocketMqError, systemClock } from '@rocketmq-ts/runtime'
import { Peer, pull, send, startTestBroker, temporaryDirectory } from './support/test-broker.js'

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

test('a second broker on the same directory is refused, and the first goes on', async t => {
  const directory = temporaryDirectory(t)
  const broker = await startTestBroker(t, { storePathRootDir: directory })
  await assert.rejects(
    startTestBroker(t, { storePathRootDir: directory }),
    (error: unknown) => RocketMqError.is(error) && error.code === 'STORE_LOCKED',
  )
  const peer = await Peer.connect(t, broker.port)
  assert.equal((await send(peer, { topic: 'T' })).code, 0)
})

test('a port that is taken fails the start and leaves the directory free', async t => {
  const directory = temporaryDirectory(t)
  const first = await startTestBroker(t)
  await assert.rejects(
    startTestBroker(t, { storePathRootDir: directory, listenPort: first.port }),
    (error: unknown) => RocketMqError.is(error) && error.code === 'ADDRESS_IN_USE',
  )
  await startTestBroker(t, { storePathRootDir: directory })
})

test('messages, topics and groups survive a restart; a clean stop leaves no abort file', async t => {
  const directory = temporaryDirectory(t)
  const broker = await startTestBroker(t, { storePathRootDir: directory })
  const peer = await Peer.connect(t, broker.port)
  await send(peer, { topic: 'T', queueCount: 3 })
  await pull(peer, { topic: 'T', group: 'CG' })
  assert.ok(existsSync(join(directory, 'abort')))
  await broker.close()
  await peer.closed
  assert.equal(existsSync(join(directory, 'abort')), false)
  assert.ok(readdirSync(join(directory, 'config')).includes('topics.json'))
  const again = await startTestBroker(t, { storePathRootDir: directory, autoCreateTopicEnable: false })
  assert.equal(again.state.topics.get('T')!.writeQueueNums, 3)
  assert.ok(again.state.groups.has('CG'))
  const next = await Peer.connect(t, again.port)
  assert.equal((await send(next, { topic: 'T' })).extFields!.queueOffset, '1')
})

test('the VIP port serves the same, and is free again after the stop', async t => {
  const port = await freePort()
  const broker = await startTestBroker(t, { listenPort: port })
  const vip = await Peer.connect(t, port - 2)
  assert.equal((await send(vip, { topic: 'T' })).code, 0)
  await broker.close()
  await assert.rejects(Peer.connect(t, port - 2))
})

test('a VIP port that is taken stops nobody', async t => {
  const port = await freePort()
  const other = createServer()
  await new Promise<void>(resolve => other.listen(port - 2, '127.0.0.1', resolve))
  t.after(() => other.close())
  const broker = await startTestBroker(t, { listenPort: port })
  const peer = await Peer.connect(t, broker.port)
  assert.equal((await send(peer, { topic: 'T' })).code, 0)
})

test('an unknown request code is answered 3', async t => {
  const broker = await startTestBroker(t)
  const peer = await Peer.connect(t, broker.port)
  const answer = await peer.call(99_999, {})
  assert.equal(answer.code, ResponseCode.REQUEST_CODE_NOT_SUPPORTED)
  assert.equal(answer.remark, ' request type 99999 not supported')
})

test('settings changed at run time hold for the next request', async t => {
  const broker = await startTestBroker(t)
  const peer = await Peer.connect(t, broker.port)
  await send(peer, { topic: 'T' })
  await peer.call(RequestCode.UPDATE_BROKER_CONFIG, {}, Buffer.from('maxMessageSize=10\nregionId=R2'))
  assert.equal((await send(peer, { topic: 'T', body: Buffer.alloc(11) })).code, ResponseCode.MESSAGE_ILLEGAL)
  assert.equal((await send(peer, { topic: 'T' })).extFields!.MSG_REGION, 'R2')
})

test('a graceful stop sends newer clients away first and serves older ones, for as long as it is told', async t => {
  let end = () => {}
  const clock: Clock = {
    ...systemClock,
    setTimeout(callback, delayMs, options) {
      if (delayMs !== 7000) return systemClock.setTimeout(callback, delayMs, options)
      end = callback
      return { cancel() {} }
    },
  }
  const options = { enableShutdownGracefully: true, shutdownWaitTimeSeconds: 7 }
  const broker = await startTestBroker(t, options, { clock })
  const peer = await Peer.connect(t, broker.port)
  assert.equal((await send(peer, { topic: 'T' })).code, 0)
  const closed = broker.close()
  let answer = await send(peer, { topic: 'T' })
  while (answer.code === 0) answer = await send(peer, { topic: 'T' })
  assert.equal(answer.code, ResponseCode.GO_AWAY)
  assert.equal(answer.remark, 'please go away')
  assert.equal((await send(peer, { topic: 'T', version: 475 })).code, 0)
  end()
  await closed
  await peer.closed
})

test('closing twice is closing once', async t => {
  const broker = await startTestBroker(t)
  assert.equal(broker.close(), broker.close())
  await broker.close()
})
