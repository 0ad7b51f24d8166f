import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProducer } from '@rocketmq-ts/client'
import { FakeNameServer, rejectionOf, startFakeCluster } from './support/fake-cluster.ts'

test('a topic nobody knows is named in NO_ROUTE, with the name servers asked', async () => {
  await using cluster = await startFakeCluster(1)
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const error = await rejectionOf(producer.send({ topic: 'unknown', body: 'x' }))
  assert.equal(error.code, 'NO_ROUTE')
  assert.equal(error.details.reason, 'TOPIC_MISSING')
  assert.ok(error.message.includes('"unknown"') && error.message.includes(cluster.nameServer.address))
  assert.deepEqual(cluster.nameServer.asked, ['unknown', 'TBW102'])
})

test('a topic whose brokers have no master is reported as BROKER_DOWN', async () => {
  await using cluster = await startFakeCluster(1)
  cluster.nameServer.routes.set('T', [{ brokerName: 'b0', addresses: { 1: '127.0.0.1:1' } }])
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const error = await rejectionOf(producer.send({ topic: 'T', body: 'x' }))
  assert.equal(error.code, 'NO_ROUTE')
  assert.equal(error.details.reason, 'BROKER_DOWN')
})

test('a topic that may not be written is reported as NOT_WRITABLE', async () => {
  await using cluster = await startFakeCluster(1)
  cluster.nameServer.routes.set('T', [{ ...cluster.brokers[0]!.route, perm: 4 }])
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const error = await rejectionOf(producer.send({ topic: 'T', body: 'x' }))
  assert.equal(error.details.reason, 'NOT_WRITABLE')
})

test('name servers that are down are reported one by one', async () => {
  const first = await FakeNameServer.start()
  const second = await FakeNameServer.start()
  await Promise.all([first.close(), second.close()])
  await using producer = await createProducer({ nameServers: [first.address, second.address], group: 'g' })
  const error = await rejectionOf(producer.send({ topic: 'T', body: 'x' }))
  assert.equal(error.code, 'NO_NAME_SERVER')
  const attempts = error.details.attempts as { address: string }[]
  assert.deepEqual(attempts.map(attempt => attempt.address).sort(), [first.address, second.address].sort())
})

test('when the chosen name server dies, the next one is asked and then kept', async () => {
  await using cluster = await startFakeCluster(1)
  const other = await FakeNameServer.start()
  other.routes.set('T', [cluster.brokers[0]!.route])
  other.routes.set('U', [cluster.brokers[0]!.route])
  cluster.nameServer.routes.set('U', [cluster.brokers[0]!.route])
  await using producer = await createProducer({
    nameServers: `${cluster.nameServer.address};${other.address}`,
    group: 'g',
  })
  await producer.send({ topic: 'T', body: 'x' })
  const [dead, alive] = cluster.nameServer.asked.length > 0 ? [cluster.nameServer, other] : [other, cluster.nameServer]
  await dead.close()
  await producer.send({ topic: 'U', body: 'x' })
  assert.deepEqual(alive.asked, ['U'])
  await Promise.all([other.close()])
})

test('an unknown topic borrows the queues of TBW102, at most four a broker, until it exists', async () => {
  await using cluster = await startFakeCluster(2)
  const { nameServer, brokers } = cluster
  nameServer.routes.set(
    'TBW102',
    brokers.map(broker => ({ ...broker.route, queues: 8, perm: 7 })),
  )
  await using producer = await createProducer({ nameServers: nameServer.address, group: 'g' })
  const queues = new Set<string>()
  for (const broker of brokers) {
    broker.script = () => {
      // The broker creates the topic with six queues and registers it.
      nameServer.routes.set('new', [{ ...broker.route, queues: 6 }])
      return 0
    }
  }
  for (let i = 0; i < 16; i++) {
    const { queue } = await producer.send({ topic: 'new', body: 'x' })
    queues.add(`${queue.brokerName}/${queue.queueId}`)
  }
  const first = brokers[0]!.sends[0] ?? brokers[1]!.sends[0]
  assert.equal(first!.header.defaultTopic, 'TBW102')
  assert.equal(first!.header.defaultTopicQueueNums, 4)
  assert.ok(queues.has('b0/5') || queues.has('b1/5'), 'after the first message the true route is used')
})

test('many sends to an unknown topic ask for its route once', async () => {
  await using cluster = await startFakeCluster(1)
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  await Promise.all(Array.from({ length: 100 }, () => producer.send({ topic: 'T', body: 'x' })))
  assert.deepEqual(cluster.nameServer.asked, ['T'])
})
