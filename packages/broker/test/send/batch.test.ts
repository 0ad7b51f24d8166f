import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BrokerOptions } from '@rocketmq-ts/broker'
import { decodeProperties, decodeStoredMessage, encodeBatch, encodeProperties } from '@rocketmq-ts/model'
import { ResponseCode } from '@rocketmq-ts/protocol'
import { Peer, pull, send, startTestBroker } from '../support/test-broker.js'

async function start(t: TestContext, options: Partial<BrokerOptions> = {}) {
  const broker = await startTestBroker(t, options)
  return { broker, peer: await Peer.connect(t, broker.port) }
}

function batchOf(...entries: { body?: Buffer; properties?: Record<string, string> }[]): Buffer {
  return encodeBatch(
    entries.map(({ body = Buffer.from('b'), properties = {} }, flag) => ({
      flag,
      body,
      propertiesText: encodeProperties(properties),
    })),
  )
}

test('a batch becomes messages with consecutive offsets, and is answered with all their ids', async t => {
  const { broker, peer } = await start(t)
  await send(peer, { topic: 'T' })
  const body = batchOf(
    { body: Buffer.from('x'), properties: { UNIQ_KEY: 'U1', KEYS: 'k1' } },
    { properties: { TAGS: 'a' } },
  )
  const answer = await send(peer, { topic: 'T', batch: true, body, properties: { UNIQ_KEY: 'B', WAIT: 'true' } })
  assert.equal(answer.code, 0)
  assert.equal(answer.extFields!.queueOffset, '1')
  assert.equal(answer.extFields!.transactionId, 'B')
  const ids = answer.extFields!.msgId!.split(',')
  assert.equal(ids.length, 2)
  const messages = await Promise.all(
    ids.map(async id => decodeStoredMessage((await broker.store.messageAt(Number(`0x${id.slice(16)}`)))!, 0)),
  )
  assert.deepEqual(
    messages.map(({ queueOffset, flag, body: content }) => [queueOffset, flag, content.toString()]),
    [
      [1, 0, 'x'],
      [2, 1, 'b'],
    ],
  )
  for (const message of messages) {
    const properties = decodeProperties(message.propertiesText)
    assert.equal(properties.get('UNIQ_KEY'), 'B')
    assert.equal(properties.get('CLUSTER'), 'DefaultCluster')
  }
  assert.equal(decodeProperties(messages[0]!.propertiesText).get('KEYS'), 'k1')
})

test('what makes no batch is refused whole, and stores nothing', async t => {
  const { broker, peer } = await start(t)
  await send(peer, { topic: 'T' })
  const body = batchOf({}, {})
  const codeOf = async (fields: Partial<Parameters<typeof send>[1]>) =>
    (await send(peer, { topic: 'T', batch: true, body, ...fields })).code
  const illegal = ResponseCode.MESSAGE_ILLEGAL
  assert.equal(await codeOf({ body: Buffer.from('no batch') }), illegal)
  assert.equal(await codeOf({ body: body.subarray(0, body.length - 1) }), illegal)
  assert.equal(await codeOf({ body: Buffer.alloc(0) }), illegal)
  assert.equal(await codeOf({ properties: { DELAY: '3' } }), illegal)
  assert.equal(await codeOf({ sysFlag: 4 }), illegal)
  assert.equal(await codeOf({ topic: '%RETRY%G' }), illegal)
  assert.equal(broker.store.maxOffset('T', 0), 1)
})

test('one entry whose properties are too long refuses the batch; the next send works (case R46)', async t => {
  const { broker, peer } = await start(t)
  const body = batchOf({}, { properties: { x: 'a'.repeat(32_760) } })
  const answer = await send(peer, { topic: 'T', batch: true, body })
  assert.equal(answer.code, ResponseCode.MESSAGE_ILLEGAL)
  assert.equal(broker.store.maxOffset('T', 0), 0)
  assert.equal((await send(peer, { topic: 'T' })).extFields!.queueOffset, '0')
  assert.equal((await pull(peer, { topic: 'T' })).code, 0)
})

test('a batch as a whole is bounded like a message', async t => {
  const { peer } = await start(t, { messageSizeMaxBytes: 1000 })
  const half = { body: Buffer.alloc(600) }
  assert.equal((await send(peer, { topic: 'T', batch: true, body: batchOf(half) })).code, 0)
  assert.equal(
    (await send(peer, { topic: 'T', batch: true, body: batchOf(half, half) })).code,
    ResponseCode.MESSAGE_ILLEGAL,
  )
})
