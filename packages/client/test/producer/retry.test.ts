import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProducer, type RocketMqError } from '@rocketmq-ts/client'
import { FakeBroker, rejectionOf, startFakeCluster } from '../support/fake-cluster.ts'

test('a refusal that another broker may not give is retried there', async () => {
  await using cluster = await startFakeCluster(2)
  let first: string | undefined
  for (const broker of cluster.brokers) {
    broker.script = send => {
      first ??= broker.name
      return first === broker.name && send ? 2 : 0
    }
  }
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const result = await producer.send({ topic: 'T', body: 'x' })
  assert.equal(result.status, 'SEND_OK')
  assert.notEqual(result.queue.brokerName, first)
  const [b0, b1] = cluster.brokers
  assert.equal(b0!.sends.length + b1!.sends.length, 2)
  assert.equal(b0!.sends[0]!.header.properties, b1!.sends[0]!.header.properties, 'one id for both attempts')
})

for (const code of [17, 14, 1, 2, 16, 204, 205]) {
  test(`answer ${code} is retried, and after three attempts the error tells each of them`, async () => {
    await using cluster = await startFakeCluster(1)
    cluster.brokers[0]!.script = () => code
    await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
    const error = await rejectionOf(producer.send({ topic: 'T', body: 'x' }))
    assert.equal(error.code, 'SEND_FAILED')
    const attempts = error.details.attempts as {
      brokerName: string
      address: string
      code: string
      responseCode: number
    }[]
    assert.equal(attempts.length, 3)
    for (const attempt of attempts) {
      assert.equal(attempt.brokerName, 'b0')
      assert.equal(attempt.address, cluster.brokers[0]!.address)
      assert.equal(attempt.responseCode, code)
    }
    assert.equal((error.cause as RocketMqError).code, 'RESPONSE_ERROR')
    assert.equal(cluster.brokers[0]!.sends.length, 3)
  })
}

test('a refusal for good is not retried', async () => {
  await using cluster = await startFakeCluster(2)
  for (const broker of cluster.brokers) broker.script = () => 13
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const error = await rejectionOf(producer.send({ topic: 'T', body: 'x' }))
  assert.equal(error.code, 'RESPONSE_ERROR')
  assert.equal(error.details.responseCode, 13)
  assert.equal(error.details.remark, 'code 13')
  assert.equal(cluster.brokers[0]!.sends.length + cluster.brokers[1]!.sends.length, 1)
})

test('a lost connection is retried on another broker', async () => {
  await using cluster = await startFakeCluster(2)
  let isFirst = true
  for (const broker of cluster.brokers) {
    broker.script = () => {
      const verdict = isFirst ? 'close' : 0
      isFirst = false
      return verdict
    }
  }
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  assert.equal((await producer.send({ topic: 'T', body: 'x' })).status, 'SEND_OK')
})

test('a broker that is gone is passed over', async () => {
  await using cluster = await startFakeCluster(2)
  await cluster.brokers[0]!.close()
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  for (let i = 0; i < 4; i++) {
    const result = await producer.send({ topic: 'T', body: 'x' })
    assert.equal(result.queue.brokerName, 'b1')
  }
})

test('with the only broker gone, the error says that it could not be reached', async () => {
  await using cluster = await startFakeCluster(1)
  await cluster.brokers[0]!.close()
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const error = await rejectionOf(producer.send({ topic: 'T', body: 'x' }))
  assert.equal(error.code, 'SEND_FAILED')
  assert.equal((error.details.attempts as { code: string }[])[0]!.code, 'CONNECT_FAILED')
})

for (const [code, status] of [
  [10, 'FLUSH_DISK_TIMEOUT'],
  [12, 'FLUSH_SLAVE_TIMEOUT'],
  [11, 'SLAVE_NOT_AVAILABLE'],
] as const) {
  test(`answer ${code} is the result ${status}`, async () => {
    await using cluster = await startFakeCluster(1)
    cluster.brokers[0]!.script = () => code
    await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
    assert.equal((await producer.send({ topic: 'T', body: 'x' })).status, status)
    assert.equal(cluster.brokers[0]!.sends.length, 1)
  })
}

test('a result that is not OK is retried on request, and kept when nothing better comes', async () => {
  await using cluster = await startFakeCluster(2)
  const [b0, b1] = cluster.brokers
  b0!.script = () => 10
  b1!.script = () => 12
  const options = { nameServers: cluster.nameServer.address, group: 'g', retryAnotherBrokerWhenNotStoreOk: true }
  await using producer = await createProducer(options)
  const kept = await producer.send({ topic: 'T', body: 'x' })
  assert.equal(b0!.sends.length + b1!.sends.length, 3)
  assert.match(kept.status, /TIMEOUT/)
  b0!.script = () => 0
  b1!.script = () => 0
  assert.equal((await producer.send({ topic: 'T', body: 'x' })).status, 'SEND_OK')
})

test('a send to a given queue is one attempt, and rejects with its own error', async () => {
  await using cluster = await startFakeCluster(2)
  cluster.brokers[0]!.script = () => 2
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const queue = { topic: 'T', brokerName: 'b0', queueId: 0 }
  const error = await rejectionOf(producer.send({ topic: 'T', body: 'x' }, { queue }))
  assert.equal(error.code, 'RESPONSE_ERROR')
  assert.equal(error.details.responseCode, 2)
  assert.equal(cluster.brokers[0]!.sends.length, 1)
})

test('a queue of a broker that no route names fails with BROKER_NOT_FOUND', async () => {
  await using cluster = await startFakeCluster(1)
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const queue = { topic: 'T', brokerName: 'elsewhere', queueId: 0 }
  assert.equal((await rejectionOf(producer.send({ topic: 'T', body: 'x' }, { queue }))).code, 'BROKER_NOT_FOUND')
})

test('an answer GO_AWAY makes the send go over a new connection to the same broker', async () => {
  await using cluster = await startFakeCluster(1)
  cluster.brokers[0]!.script = (_send, count) => (count === 1 ? 1500 : 0)
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  assert.equal((await producer.send({ topic: 'T', body: 'x' })).status, 'SEND_OK')
  const [first, second] = cluster.brokers[0]!.sends
  assert.notEqual(first!.connection.id, second!.connection.id)
})

test('a broker that comes back at another address is found through the name server', async () => {
  await using cluster = await startFakeCluster(1)
  await using producer = await createProducer({
    nameServers: cluster.nameServer.address,
    group: 'g',
    retryTimesWhenSendFailed: 0,
  })
  await producer.send({ topic: 'T', body: '1' })
  await cluster.brokers[0]!.close()
  const moved = await FakeBroker.start('b0')
  cluster.nameServer.routes.set('T', [moved.route])
  try {
    // The first failure makes the route be asked for again; no time has to pass.
    let sent = 0
    for (let tries = 0; tries < 50 && sent === 0; tries++) {
      sent = await producer.send({ topic: 'T', body: '2' }).then(
        () => 1,
        () => 0,
      )
    }
    assert.equal(sent, 1)
    assert.equal(moved.sends.length, 1)
  } finally {
    await moved.close()
  }
})

test('with fault avoidance, a broker that refused is left alone while the other one works', async () => {
  await using cluster = await startFakeCluster(2)
  const [b0, b1] = cluster.brokers
  b0!.script = () => 2
  const options = { nameServers: cluster.nameServer.address, group: 'g', sendLatencyFaultEnable: true }
  await using producer = await createProducer(options)
  for (let i = 0; i < 20; i++) await producer.send({ topic: 'T', body: 'x' })
  assert.equal(b1!.sends.length, 20)
  assert.equal(b0!.sends.length, 1)
})

test('the VIP channel is the port two below the one of the route', async () => {
  await using cluster = await startFakeCluster(1)
  const broker = cluster.brokers[0]!
  const [host, port] = broker.address.split(':')
  cluster.nameServer.routes.set('T', [{ brokerName: 'b0', addresses: { 0: `${host}:${Number(port) + 2}` } }])
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g', vipChannel: true })
  assert.equal((await producer.send({ topic: 'T', body: 'x' })).status, 'SEND_OK')
})

test('unit mode travels with each message', async () => {
  await using cluster = await startFakeCluster(1)
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g', unitMode: true })
  await producer.send({ topic: 'T', body: 'x' })
  assert.equal(cluster.brokers[0]!.sends[0]!.header.unitMode, true)
})
