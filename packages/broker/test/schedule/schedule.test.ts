/** Delayed messages as clients see them, over sockets and files. */
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { decodeStoredMessages, findProperty } from '@rocketmq-ts/model'
import { delayOffsetWrapper, RequestCode } from '@rocketmq-ts/protocol'
import { Peer, pull, send, startTestBroker, temporaryDirectory } from '../support/test-broker.js'

/** The messages of a queue from `offset` on, held until there is one. */
async function take(peer: Peer, topic: string, offset: number) {
  const answer = await pull(peer, { topic, offset, sysFlag: 6, suspendMs: 20_000 })
  assert.equal(answer.code, 0, answer.remark)
  return decodeStoredMessages(answer.body!)
}

test('a message with DELAY wakes the pull that waits for it, after its delay', async t => {
  const broker = await startTestBroker(t, { messageDelayLevel: '1s 2s' })
  const peer = await Peer.connect(t, broker.port)
  await send(peer, { topic: 'T', body: Buffer.from('now') })
  const sentAt = Date.now()
  const sent = await send(peer, { topic: 'T', body: Buffer.from('later'), properties: { DELAY: '1' } })
  assert.equal(sent.code, 0)
  const [message] = await take(peer, 'T', 1)
  assert.equal(message!.body.toString(), 'later')
  assert.ok(message!.storeTimestamp - sentAt >= 1000)
})

test('a message that was sent back comes again in its retry topic, with one attempt more', async t => {
  const broker = await startTestBroker(t, { messageDelayLevel: '1s' })
  const peer = await Peer.connect(t, broker.port)
  const sent = await send(peer, { topic: 'T', body: Buffer.from('again'), properties: { KEYS: 'k' } })
  const back = await peer.call(RequestCode.CONSUMER_SEND_MSG_BACK, {
    offset: String(Number(`0x${sent.extFields!.msgId!.slice(16)}`)),
    group: 'G',
    delayLevel: '0',
    originTopic: 'T',
    maxReconsumeTimes: '16',
  })
  assert.equal(back.code, 0)
  const [message] = await take(peer, '%RETRY%G', 0)
  assert.deepEqual([message!.body.toString(), message!.reconsumeTimes], ['again', 1])
  assert.equal(findProperty(message!.propertiesText, 'RETRY_TOPIC'), 'T')
})

test('progress is told to slaves, tools and the runtime information', async t => {
  const broker = await startTestBroker(t, { messageDelayLevel: '1s 1h' })
  const peer = await Peer.connect(t, broker.port)
  await send(peer, { topic: 'T', properties: { DELAY: '1' } })
  await send(peer, { topic: 'T', properties: { DELAY: '2' } })
  await take(peer, 'T', 0)
  const answer = await peer.call(RequestCode.GET_ALL_DELAY_OFFSET, {})
  assert.equal(answer.code, 0)
  const { offsetTable } = delayOffsetWrapper.parse(answer.body!.toString())
  assert.deepEqual(
    [...offsetTable],
    [
      [1, 1],
      [2, 0],
    ],
  )
  const info = await peer.call(RequestCode.GET_BROKER_RUNTIME_INFO, {})
  const table = JSON.parse(info.body!.toString()).table as Record<string, string>
  assert.equal(table.scheduleMessageOffset_1, '1,1')
  assert.equal(table.scheduleMessageOffset_2, '0,1')
})

test('what waited when the broker stopped is delivered by the next one, once', async t => {
  const storePathRootDir = temporaryDirectory(t)
  const options = { storePathRootDir, messageDelayLevel: '1s 1s' }
  const first = await startTestBroker(t, options)
  const peer = await Peer.connect(t, first.port)
  await send(peer, { topic: 'T', body: Buffer.from('before'), properties: { DELAY: '1' } })
  await take(peer, 'T', 0)
  await send(peer, { topic: 'T', body: Buffer.from('after'), properties: { DELAY: '2' } })
  await first.close()
  const second = await startTestBroker(t, options)
  const other = await Peer.connect(t, second.port)
  const messages = await take(other, 'T', 1)
  assert.deepEqual(
    messages.map(({ body }) => body.toString()),
    ['after'],
  )
  assert.equal(second.store.maxOffset('T', 0), 2)
})

test('what waited when the broker was killed is delivered by the next one', async t => {
  const storePathRootDir = temporaryDirectory(t)
  const first = await startTestBroker(t, { storePathRootDir, messageDelayLevel: '1s' })
  const peer = await Peer.connect(t, first.port)
  const bodies = Array.from({ length: 20 }, (_, i) => `m${i}`)
  for (const body of bodies) await send(peer, { topic: 'T', body: Buffer.from(body), properties: { DELAY: '1' } })
  // What is in the files at this moment is what a killed process leaves behind.
  const left = temporaryDirectory(t)
  cpSync(storePathRootDir, left, { recursive: true, filter: source => source !== join(storePathRootDir, 'lock') })
  await first.close()
  const second = await startTestBroker(t, { storePathRootDir: left, messageDelayLevel: '1s' })
  const other = await Peer.connect(t, second.port)
  const got: string[] = []
  while (got.length < bodies.length) {
    for (const message of await take(other, 'T', got.length)) got.push(message.body.toString())
  }
  assert.deepEqual(got, bodies)
})

test('a table of levels that can not be read is refused and changes nothing', async t => {
  const broker = await startTestBroker(t)
  const peer = await Peer.connect(t, broker.port)
  const answer = await peer.call(RequestCode.UPDATE_BROKER_CONFIG, {}, Buffer.from('messageDelayLevel=1s soon'))
  assert.equal(answer.code, 1)
  assert.match(answer.remark!, /messageDelayLevel: "soon"/)
  assert.equal((await send(peer, { topic: 'T', properties: { DELAY: '1' } })).code, 0)
})
