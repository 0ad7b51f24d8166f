import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProducer } from '@rocketmq-ts/client'
import { decodeBatch, decodeProperties } from '@rocketmq-ts/model'
import { rejectionOf, startFakeCluster } from '../support/fake-cluster.ts'

test('a message arrives with its header, body and properties, and the result tells where it is', async () => {
  await using cluster = await startFakeCluster()
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'orders' })
  const result = await producer.send({
    topic: 'T',
    body: 'hello',
    tags: 'a',
    keys: ['k1', 'k2'],
    properties: { x: 'y' },
    flag: 7,
  })
  const [send] = cluster.brokers[0]!.sends
  assert.equal(send!.body.toString(), 'hello')
  assert.equal(send!.header.producerGroup, 'orders')
  assert.equal(send!.header.topic, 'T')
  assert.equal(send!.header.defaultTopic, 'TBW102')
  assert.equal(send!.header.defaultTopicQueueNums, 4)
  assert.equal(send!.header.brokerName, 'b0')
  assert.equal(send!.header.flag, 7)
  assert.equal(send!.header.batch, false)
  const properties = decodeProperties(send!.header.properties as string)
  assert.deepEqual(Object.fromEntries(properties), {
    x: 'y',
    TAGS: 'a',
    KEYS: 'k1 k2',
    WAIT: 'true',
    UNIQ_KEY: result.messageId,
  })
  assert.equal(result.status, 'SEND_OK')
  assert.deepEqual(result.queue, { topic: 'T', brokerName: 'b0', queueId: send!.header.queueId })
  assert.equal(result.queueOffset, 0)
  assert.equal(result.offsetMessageId, '7F00000100002A9F0000000000000001')
  assert.equal(result.regionId, 'DefaultRegion')
  assert.equal(result.traceOn, true)
  assert.equal(result.recallHandle, undefined)
})

test('sends take the queues of all brokers in turn', async () => {
  await using cluster = await startFakeCluster(2)
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  for (let i = 0; i < 16; i++) await producer.send({ topic: 'T', body: `${i}` })
  for (const broker of cluster.brokers) {
    const counts = [0, 0, 0, 0]
    for (const send of broker.sends) counts[send.header.queueId]!++
    assert.deepEqual(counts, [2, 2, 2, 2])
  }
})

test('messages of one sharding key go to one queue, in the order of the calls', async () => {
  await using cluster = await startFakeCluster(2)
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => producer.send({ topic: 'T', body: `${i}`, shardingKey: 'user-7' })),
  )
  const all = cluster.brokers.flatMap(broker => broker.sends)
  assert.equal(new Set(all.map(send => `${send.header.brokerName}/${send.header.queueId}`)).size, 1)
  assert.deepEqual(
    all.map(send => Number(send.body.toString())),
    Array.from({ length: 20 }, (_, i) => i),
  )
})

test('a given queue and a selector decide, and see queues without namespace', async () => {
  await using cluster = await startFakeCluster(2)
  cluster.nameServer.routes.set('NS%T', cluster.nameServer.routes.get('T')!)
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g', namespace: 'NS' })
  const given = await producer.send({ topic: 'T', body: 'x' }, { queue: { topic: 'T', brokerName: 'b1', queueId: 2 } })
  assert.deepEqual(given.queue, { topic: 'T', brokerName: 'b1', queueId: 2 })
  const chosen = await producer.send(
    { topic: 'T', body: 'x' },
    { select: queues => queues.find(queue => queue.topic === 'T' && queue.brokerName === 'b0' && queue.queueId === 3) },
  )
  assert.deepEqual(chosen.queue, { topic: 'T', brokerName: 'b0', queueId: 3 })
  assert.equal(cluster.brokers[0]!.sends[0]!.header.topic, 'NS%T')
  assert.equal(cluster.brokers[0]!.sends[0]!.header.producerGroup, 'NS%g')
})

test('a selector that throws or chooses nothing fails the send with its reason', async () => {
  await using cluster = await startFakeCluster()
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const nothing = await rejectionOf(producer.send({ topic: 'T', body: 'x' }, { select: () => undefined }))
  assert.match(nothing.message, /select message queue return null/)
  const failure = new Error('mine')
  const thrown = await rejectionOf(
    producer.send(
      { topic: 'T', body: 'x' },
      {
        select: () => {
          throw failure
        },
      },
    ),
  )
  assert.match(thrown.message, /select message queue threw exception/)
  assert.equal(thrown.cause, failure)
})

test('a batch goes as one request, and the result lists the ids of its messages', async () => {
  await using cluster = await startFakeCluster()
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const result = await producer.sendBatch([
    { topic: 'T', body: 'one', tags: 'a' },
    { topic: 'T', body: 'two', flag: 3 },
  ])
  const [send] = cluster.brokers[0]!.sends
  assert.equal(send!.command.code, 320)
  assert.equal(send!.header.batch, true)
  const entries = decodeBatch(send!.body)
  assert.deepEqual(
    entries.map(entry => entry.body.toString()),
    ['one', 'two'],
  )
  assert.deepEqual(
    entries.map(entry => entry.flag),
    [0, 3],
  )
  const ids = entries.map(entry => decodeProperties(entry.propertiesText).get('UNIQ_KEY'))
  assert.deepEqual(result.messageIds, ids)
  assert.equal(result.messageId, ids.join(','))
  const own = decodeProperties(send!.header.properties as string).get('UNIQ_KEY')
  assert.ok(own !== undefined && !ids.includes(own))
})

for (const [why, messages] of [
  [
    'different topics',
    [
      { topic: 'T', body: 'a' },
      { topic: 'U', body: 'b' },
    ],
  ],
  ['a delay', [{ topic: 'T', body: 'a', delayLevel: 1 }]],
  ['a timer', [{ topic: 'T', body: 'a', delayMs: 1000 }]],
  ['a retry topic', [{ topic: '%RETRY%g', body: 'a' }]],
  [
    'different waiting',
    [
      { topic: 'T', body: 'a' },
      { topic: 'T', body: 'b', waitStoreOk: false },
    ],
  ],
  ['no message', []],
] as const) {
  test(`a batch with ${why} is refused before anything is sent`, async () => {
    await using cluster = await startFakeCluster()
    await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
    assert.equal((await rejectionOf(producer.sendBatch(messages))).code, 'INVALID_ARGUMENT')
    assert.equal(cluster.brokers[0]!.sends.length, 0)
  })
}

test('a oneway message asks for no answer', async () => {
  await using cluster = await startFakeCluster()
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  assert.equal(await producer.sendOneway({ topic: 'T', body: 'x' }), undefined)
  await cluster.brokers[0]!.seen('sends', 1)
  assert.equal(cluster.brokers[0]!.sends[0]!.command.isOneway, true)
})

for (const [why, message, code] of [
  ['no topic', { body: 'x' }, 'INVALID_ARGUMENT'],
  ['a blank topic', { topic: ' ', body: 'x' }, 'INVALID_ARGUMENT'],
  ['an illegal character in the topic', { topic: 'a/b', body: 'x' }, 'INVALID_ARGUMENT'],
  ['a topic of 128 characters', { topic: 'a'.repeat(128), body: 'x' }, 'INVALID_ARGUMENT'],
  ["RocketMQ's own topic", { topic: 'SCHEDULE_TOPIC_XXXX', body: 'x' }, 'INVALID_ARGUMENT'],
  ['no body', { topic: 'T' }, 'INVALID_ARGUMENT'],
  ['an empty body', { topic: 'T', body: '' }, 'INVALID_ARGUMENT'],
  ['a body that is neither text nor bytes', { topic: 'T', body: { a: 1 } }, 'INVALID_ARGUMENT'],
  ['a body over the limit', { topic: 'T', body: Buffer.alloc(1001) }, 'MESSAGE_TOO_LARGE'],
  ['a reserved property', { topic: 'T', body: 'x', properties: { KEYS: 'a' } }, 'INVALID_ARGUMENT'],
  ['a blank property name', { topic: 'T', body: 'x', properties: { ' ': 'a' } }, 'INVALID_ARGUMENT'],
  ['a blank property value', { topic: 'T', body: 'x', properties: { a: ' ' } }, 'INVALID_ARGUMENT'],
  ['a property that is no text', { topic: 'T', body: 'x', properties: { a: 1 } }, 'INVALID_ARGUMENT'],
  ['a separator inside a property', { topic: 'T', body: 'x', properties: { a: 'b\u0002c' } }, 'INVALID_ARGUMENT'],
  ['a separator inside the tag', { topic: 'T', body: 'x', tags: 'b\u0001c' }, 'INVALID_ARGUMENT'],
  ['a key with a space', { topic: 'T', body: 'x', keys: ['a b'] }, 'INVALID_ARGUMENT'],
  ['a flag that is no int32', { topic: 'T', body: 'x', flag: 2 ** 31 }, 'INVALID_ARGUMENT'],
  ['two delays', { topic: 'T', body: 'x', delayLevel: 1, delayMs: 1 }, 'INVALID_ARGUMENT'],
  [
    'properties over 32767 bytes',
    { topic: 'T', body: 'x', properties: { a: 'ä'.repeat(16_384) } },
    'MESSAGE_TOO_LARGE',
  ],
  ['nothing at all', null, 'INVALID_ARGUMENT'],
] as const) {
  test(`a message with ${why} is refused with ${code}`, async () => {
    await using cluster = await startFakeCluster()
    const options = { nameServers: cluster.nameServer.address, group: 'g', maxMessageBytes: 1000 }
    await using producer = await createProducer(options)
    assert.equal((await rejectionOf(producer.send(message as never))).code, code)
    assert.equal(cluster.brokers[0]!.sends.length, 0)
    assert.equal(producer.pendingCount, 0)
  })
}

test('bodies from the threshold on are compressed and flagged, smaller ones are not', async () => {
  await using cluster = await startFakeCluster()
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  await producer.send({ topic: 'T', body: Buffer.alloc(4095, 'x') })
  await producer.send({ topic: 'T', body: Buffer.alloc(4096, 'x') })
  const [small, large] = cluster.brokers[0]!.sends
  assert.equal(small!.header.sysFlag, 0)
  assert.equal(small!.body.length, 4095)
  assert.equal(large!.header.sysFlag, 0x301)
  assert.ok(large!.body.length < 100)
})

test('delays, waiting and an own id travel as properties', async () => {
  await using cluster = await startFakeCluster()
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const result = await producer.send({ topic: 'T', body: 'x', delayLevel: 3, waitStoreOk: false, uniqueKey: 'MINE' })
  await producer.send({ topic: 'T', body: 'x', deliverAtMs: 1_700_000_000_000 })
  const [first, second] = cluster.brokers[0]!.sends.map(send => decodeProperties(send.header.properties as string))
  assert.equal(result.messageId, 'MINE')
  assert.deepEqual(Object.fromEntries(first!), { DELAY: '3', WAIT: 'false', UNIQ_KEY: 'MINE' })
  assert.equal(second!.get('TIMER_DELIVER_MS'), '1700000000000')
})
