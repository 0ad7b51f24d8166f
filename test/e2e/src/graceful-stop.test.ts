/** A broker that is stopped gracefully, in a cluster of two, while clients work. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Broker, createBrokerOptions, startBroker } from '@rocketmq-ts/broker'
import { createProducer, createPushConsumer, type SendResult } from '@rocketmq-ts/client'
import { startNamesrv } from '@rocketmq-ts/namesrv'
import { nodeNetwork, realDisk, systemClock, systemRandom } from '@rocketmq-ts/runtime'

async function startCluster(t: TestContext): Promise<{ nameServers: string; brokers: Broker[] }> {
  const shared = { network: nodeNetwork, clock: systemClock, disk: realDisk }
  const namesrv = await startNamesrv({ ...shared, host: '127.0.0.1', port: 0 })
  t.after(() => namesrv.close())
  const nameServers = `127.0.0.1:${namesrv.port}`
  const brokers: Broker[] = []
  for (const brokerName of ['a', 'b']) {
    const directory = mkdtempSync(join(tmpdir(), 'rocketmq-e2e-'))
    t.after(() => rmSync(directory, { recursive: true, force: true }))
    const options = createBrokerOptions({
      brokerName,
      nameServers,
      storePathRootDir: directory,
      listenPort: 0,
      bindAddress: '127.0.0.1',
      brokerIp1: '127.0.0.1',
      brokerIp2: '127.0.0.1',
      commitLogFileSizeBytes: 16 * 1024 * 1024,
      indexHashSlotCount: 1000,
      indexEntryCount: 4000,
      enableShutdownGracefully: true,
      shutdownWaitTimeSeconds: brokerName === 'a' ? 1 : 0,
    })
    const broker = await startBroker({ ...shared, random: systemRandom, options })
    t.after(() => broker.close())
    await broker.registered
    brokers.push(broker)
  }
  return { nameServers, brokers }
}

test('while one of two brokers goes away, no send fails and each stored message is consumed', async t => {
  const { nameServers, brokers } = await startCluster(t)
  const got = new Set<string>()
  let wake = () => {}
  await using producer = await createProducer({ nameServers, group: 'p' })
  await producer.admin.createTopic({ topic: 'T', queueNums: 4 })
  while ((await producer.admin.publishQueues('T')).length < 8) await new Promise(resolve => setTimeout(resolve, 5))
  await using consumer = await createPushConsumer({
    nameServers,
    group: 'c',
    subscriptions: { T: '*' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    handler: messages => {
      for (const message of messages) got.add(message.text())
      wake()
    },
  })
  assert.equal(consumer.heldQueues.filter(queue => queue.topic === 'T').length, 8)

  let isClosed = false
  const closed = brokers[0]!.close().then(() => {
    isClosed = true
  })
  const sent: SendResult[] = []
  while (!isClosed || sent.length < 200) sent.push(await producer.send({ topic: 'T', body: `${sent.length}` }))
  await closed
  assert.ok(sent.every(result => result.status === 'SEND_OK'))
  assert.ok(sent.slice(-10).every(result => result.queue.brokerName === 'b'))
  const expected = sent.map((result, i) => ({ name: result.queue.brokerName, body: `${i}` }))
  const ofB = expected.filter(({ name }) => name === 'b').map(({ body }) => body)
  while (!ofB.every(body => got.has(body))) {
    await new Promise<void>(resolve => {
      wake = resolve
    })
  }
})
