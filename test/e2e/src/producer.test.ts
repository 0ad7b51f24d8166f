/** Our client against our name server and broker, over real sockets and files. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  createProducer,
  createPullConsumer,
  type MessageQueue,
  type Producer,
  type ReceivedMessage,
} from '@rocketmq-ts/client'
import { startRocketMQ, startStandalone } from '@rocketmq-ts/embedded'

/** All messages of a topic, by queue and offset. */
async function readAll(producer: Producer, nameServers: string, topic: string): Promise<ReceivedMessage[]> {
  await using consumer = await createPullConsumer({ nameServers, group: 'reader' })
  const messages: ReceivedMessage[] = []
  for (const queue of await producer.admin.subscribeQueues(topic)) {
    for (let offset = 0; ; ) {
      const result = await consumer.pull(queue, { offset })
      messages.push(...result.messages)
      if (result.status !== 'FOUND') break
      offset = result.nextBeginOffset
    }
  }
  return messages
}

test('what is sent in any form is read back byte for byte', async () => {
  await using rocketmq = await startRocketMQ()
  const { nameServers } = rocketmq
  await using producer = await createProducer({ nameServers, group: 'e2e' })
  const single = await producer.send({
    topic: 'forms',
    body: 'single',
    tags: 'a',
    keys: ['k1', 'k2'],
    properties: { x: 'ü€' },
  })
  const batch = await producer.sendBatch([
    { topic: 'forms', body: 'batch-1' },
    { topic: 'forms', body: 'batch-2' },
  ])
  const large = 'large '.repeat(2000)
  const compressed: string[] = []
  for (const compressType of ['ZLIB', 'LZ4', 'ZSTD'] as const) {
    await using other = await createProducer({ nameServers, group: 'e2e', compressType })
    compressed.push((await other.send({ topic: 'forms', body: large, keys: compressType })).messageId)
  }
  await producer.sendOneway({ topic: 'forms', body: 'oneway' })
  let messages: ReceivedMessage[] = []
  // A oneway message has no answer to wait for: it is there once it can be read.
  while (!messages.some(message => message.body.toString() === 'oneway'))
    messages = await readAll(producer, nameServers, 'forms')
  assert.deepEqual(
    messages.map(message => message.body.toString()).sort(),
    ['single', 'batch-1', 'batch-2', large, large, large, 'oneway'].sort(),
  )
  const found = messages.find(message => message.messageId === single.messageId)!
  assert.equal(found.offsetMessageId, single.offsetMessageId)
  assert.equal(found.tags, 'a')
  assert.deepEqual(found.keys, ['k1', 'k2'])
  assert.equal(found.property('x'), 'ü€')
  assert.deepEqual(
    { brokerName: found.brokerName, queueId: found.queueId, queueOffset: found.queueOffset },
    { brokerName: single.queue.brokerName, queueId: single.queue.queueId, queueOffset: single.queueOffset },
  )
  const batchOffsets = messages.filter(message => message.body.toString().startsWith('batch-'))
  assert.deepEqual(batchOffsets.map(message => message.offsetMessageId).sort(), [...batch.offsetMessageIds].sort())
  const ids = messages.map(message => message.messageId)
  for (const id of compressed) assert.ok(ids.includes(id))
})

test('a topic made by the admin calls has the queues asked for, and its offsets can be asked', async () => {
  await using rocketmq = await startRocketMQ()
  await using producer = await createProducer({ nameServers: rocketmq.nameServers, group: 'e2e' })
  await producer.admin.createTopic({ topic: 'made', queueNums: 3 })
  const queues = await producer.admin.publishQueues('made')
  assert.deepEqual(
    queues.map(queue => queue.queueId),
    [0, 1, 2],
  )
  const { admin } = producer
  const queue = queues[1] as MessageQueue
  assert.deepEqual([await admin.minOffset(queue), await admin.maxOffset(queue)], [0, 0])
  const before = Date.now()
  const result = await producer.send({ topic: 'made', body: 'x', keys: 'find-me' }, { queue })
  assert.deepEqual(result.queue, queue)
  assert.deepEqual([await admin.minOffset(queue), await admin.maxOffset(queue)], [0, 1])
  assert.ok((await admin.earliestMessageStoreTime(queue)) >= before)
  assert.equal(await admin.searchOffset(queue, 0), 0)
  assert.equal(await admin.searchOffset(queue, Date.now() + 60_000), 1)
  assert.equal((await admin.viewMessage(result.offsetMessageId))?.body.toString(), 'x')
  const [byKey] = await admin.queryMessage({ topic: 'made', key: 'find-me' })
  assert.equal(byKey?.messageId, result.messageId)
  assert.equal((await admin.viewMessage(result.messageId, { topic: 'made' }))?.messageId, result.messageId)
  assert.equal(await admin.viewMessage('7F0000010000000100000000000000FF', { topic: 'made' }), undefined)
})

test('ten thousand sends without waiting are all stored, each sharding key in order', async () => {
  await using rocketmq = await startRocketMQ()
  const { nameServers } = rocketmq
  await using producer = await createProducer({ nameServers, group: 'e2e', sendTimeoutMs: 30_000 })
  await producer.admin.createTopic({ topic: 'many', queueNums: 4 })
  const count = 10_000
  const results = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      producer.send({ topic: 'many', body: String(i), shardingKey: `key-${i % 10}` }),
    ),
  )
  assert.ok(results.every(result => result.status === 'SEND_OK'))
  assert.equal(new Set(results.map(result => result.messageId)).size, count)
  const last = new Map<number, number>()
  const messages = await readAll(producer, nameServers, 'many')
  assert.equal(messages.length, count)
  for (const message of messages) {
    const i = Number(message.body.toString())
    assert.ok((last.get(i % 10) ?? -1) < i, 'in order within a key')
    last.set(i % 10, i)
  }
})

test('a broker that stops makes sends fail with what happened, and they work again once it is back', async t => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'rocketmq-e2e-'))
  t.after(() => rmSync(dataDirectory, { recursive: true }))
  const first = await startStandalone({ dataDirectory, namesrvPort: 0, brokerPort: 0 })
  const nameServers = first.namesrvAddress
  await using producer = await createProducer({ nameServers, group: 'e2e', sendTimeoutMs: 10_000 })
  const before = await producer.send({ topic: 'T', body: '1' })
  await first.close()
  await assert.rejects(producer.send({ topic: 'T', body: '2' }), { code: 'SEND_FAILED' })
  const [namesrvPort, brokerPort] = [nameServers, first.brokerAddress].map(address => Number(address.split(':')[1]))
  const second = await startStandalone({ dataDirectory, namesrvPort: namesrvPort!, brokerPort: brokerPort! })
  try {
    const after = await producer.send({ topic: 'T', body: '3' })
    assert.equal(after.status, 'SEND_OK')
    assert.notEqual(after.offsetMessageId, before.offsetMessageId)
    const bodies = (await readAll(producer, nameServers, 'T')).map(message => message.body.toString())
    assert.deepEqual(bodies.sort(), ['1', '3'])
  } finally {
    await second.close()
  }
})
