import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProducer, type SendAttemptContext } from '@rocketmq-ts/client'
import { createProducerWith } from '@rocketmq-ts/client/internal'
import { rejectionOf, startFakeCluster } from '../support/fake-cluster.ts'

test('close waits for sends under way, takes no new ones, and tells the brokers', async () => {
  await using cluster = await startFakeCluster(1)
  const broker = cluster.brokers[0]!
  broker.script = () => 'silent'
  const producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'orders' })
  const send = producer.send({ topic: 'T', body: 'x' })
  await broker.seen('sends', 1)
  const closing = producer.close()
  assert.equal(producer.isOpen, false)
  assert.equal((await rejectionOf(producer.send({ topic: 'T', body: 'late' }))).code, 'INVALID_STATE')
  assert.equal((await rejectionOf(producer.sendBatch([{ topic: 'T', body: 'late' }]))).code, 'INVALID_STATE')
  assert.equal((await rejectionOf(producer.sendOneway({ topic: 'T', body: 'late' }))).code, 'INVALID_STATE')
  broker.answer(broker.sends[0]!)
  assert.equal((await send).status, 'SEND_OK')
  await closing
  assert.deepEqual(broker.unregistered, [{ clientID: producer.clientId, producerGroup: 'orders' }])
  assert.equal(broker.server.connectionCount, 0)
  await producer.close()
})

test('two producers of a process share one client id and one connection per broker', async () => {
  await using cluster = await startFakeCluster(1)
  const options = { nameServers: cluster.nameServer.address, group: 'g' }
  const first = await createProducer(options)
  await using second = await createProducer(options)
  await first.send({ topic: 'T', body: '1' })
  await second.send({ topic: 'T', body: '2' })
  assert.equal(first.clientId, second.clientId)
  assert.equal(cluster.brokers[0]!.server.connectionCount, 1)
  await first.close()
  assert.deepEqual(cluster.brokers[0]!.unregistered, [], 'the group still lives here')
  await second.send({ topic: 'T', body: '3' })
})

test('brokers learn the producer group as soon as there is a connection', async () => {
  await using cluster = await startFakeCluster(1)
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'orders' })
  await producer.send({ topic: 'T', body: 'x' })
  await cluster.brokers[0]!.seen('heartbeats', 1)
  const [beat] = cluster.brokers[0]!.heartbeats
  assert.equal(beat!.clientID, producer.clientId)
  assert.deepEqual(
    beat!.producerDataSet.map(set => set.groupName),
    ['CLIENT_INNER_PRODUCER', 'orders'],
  )
})

test('the address, instance name and unit make the client id', async () => {
  await using cluster = await startFakeCluster(1)
  const options = {
    nameServers: cluster.nameServer.address,
    group: 'g',
    clientAddress: '10.1.2.3',
    instanceName: 'me',
    unitName: 'u',
  }
  await using producer = await createProducer(options)
  assert.equal(producer.clientId, '10.1.2.3@me@u')
  const { messageId } = await producer.send({ topic: 'T', body: 'x' })
  assert.equal(messageId.length, 32)
  assert.ok(messageId.startsWith('0A010203'))
})

test('no name server anywhere is an error at once', async () => {
  const error = await rejectionOf(createProducerWith({ group: 'g' }, { environment: {} }))
  assert.equal(error.code, 'NO_NAME_SERVER')
})

test('NAMESRV_ADDR stands in for the option, and a function for a list', async () => {
  await using cluster = await startFakeCluster(1)
  const { address } = cluster.nameServer
  await using byVariable = await createProducerWith({ group: 'g' }, { environment: { NAMESRV_ADDR: address } })
  assert.equal((await byVariable.send({ topic: 'T', body: 'x' })).status, 'SEND_OK')
  await using byFunction = await createProducer({ group: 'g', nameServers: async () => `${address};` })
  assert.equal((await byFunction.send({ topic: 'T', body: 'x' })).status, 'SEND_OK')
})

for (const [why, options, pattern] of [
  ['no group', {}, /needs a group/],
  ['the default group', { group: 'DEFAULT_PRODUCER' }, /default/],
  ['an illegal group', { group: 'a b' }, /illegal characters/],
  ['a misspelt option', { group: 'g', sendTimeoutMS: 1 }, /did you mean "sendTimeoutMs"/],
  ['a name server without port', { group: 'g', nameServers: 'host' }, /host:port/],
  ['a negative time-out', { group: 'g', sendTimeoutMs: -1 }, /sendTimeoutMs/],
  ['an unknown compression', { group: 'g', compressType: 'GZIP' }, /compressType/],
] as const) {
  test(`a producer with ${why} is refused`, async () => {
    const error = await rejectionOf(createProducer({ nameServers: '127.0.0.1:1', ...options } as never))
    assert.equal(error.code, 'INVALID_ARGUMENT')
    assert.match(error.message, pattern)
  })
}

test('hooks see each attempt before and after, and what they throw does no harm', async () => {
  await using cluster = await startFakeCluster(1)
  cluster.brokers[0]!.script = (_send, count) => (count === 1 ? 2 : 0)
  const seen: string[] = []
  const hook = {
    name: 'watcher',
    before(context: SendAttemptContext) {
      context.state.set('at', context.attempt)
      seen.push(
        `before ${context.attempt} ${context.message?.topic} ${context.brokerAddress === cluster.brokers[0]!.address}`,
      )
      throw new Error('ignored')
    },
    after(context: SendAttemptContext) {
      const outcome = context.result?.status ?? (context.error as { code: string }).code
      seen.push(`after ${context.state.get('at')} ${outcome}`)
      throw new Error('ignored')
    },
  }
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g', hooks: [hook] })
  await producer.send({ topic: 'T', body: 'x' })
  assert.deepEqual(seen, ['before 1 T true', 'after 1 RESPONSE_ERROR', 'before 2 T true', 'after 2 SEND_OK'])
})

test('a check hook forbids a send', async () => {
  await using cluster = await startFakeCluster(1)
  const forbidden = new Error('not today')
  const hook = {
    name: 'guard',
    check() {
      throw forbidden
    },
  }
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g', hooks: [hook] })
  assert.equal(await rejectionOf(producer.send({ topic: 'T', body: 'x' })), forbidden)
  assert.equal(cluster.brokers[0]!.sends.length, 0)
})

test('with credentials every send is signed, retries included', async () => {
  await using cluster = await startFakeCluster(1)
  cluster.brokers[0]!.script = (_send, count) => (count === 1 ? 2 : 0)
  const options = {
    nameServers: cluster.nameServer.address,
    group: 'g',
    credentials: { accessKey: 'ak', secretKey: 'sk' },
    namespaceV2: 'ns2',
  }
  await using producer = await createProducer(options)
  await producer.send({ topic: 'T', body: 'hello' })
  const { isSignedWith } = await import('@rocketmq-ts/protocol')
  for (const send of cluster.brokers[0]!.sends) {
    assert.equal(send.command.extFields?.AccessKey, 'ak')
    assert.equal(send.command.extFields?.ns, 'ns2')
    send.command.body = send.body
    assert.equal(isSignedWith(send.command, 'sk'), true)
  }
  assert.equal(cluster.brokers[0]!.sends.length, 2)
})
