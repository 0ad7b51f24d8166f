/** Faults that people reported of RocketMQ, tried on our client, name server and broker together. */
import assert from 'node:assert/strict'
import { setMaxListeners } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createProducer, createPullConsumer, createPushConsumer, type MessageQueue } from '@rocketmq-ts/client'
import { startRocketMQ, startStandalone } from '@rocketmq-ts/embedded'

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never came true: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

test('a failed message comes back under its namespace, and the user sees the plain topic (case R11)', async t => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'rocketmq-e2e-'))
  t.after(() => rmSync(dataDirectory, { recursive: true, force: true }))
  const brokerConfig = { messageDelayLevel: '1s 1s 1s' }
  await using rocketmq = await startStandalone({ dataDirectory, namesrvPort: 0, brokerPort: 0, brokerConfig })
  const common = { nameServers: rocketmq.namesrvAddress, namespace: 'NSA' }
  await using producer = await createProducer({ ...common, group: 'P1' })
  await producer.send({ topic: 'T1', body: 'x' })
  const seen: { topic: string; times: number }[] = []
  await using consumer = await createPushConsumer({
    ...common,
    group: 'G1',
    subscriptions: { T1: '*' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    handler: ([message]) => {
      seen.push({ topic: message!.topic, times: message!.reconsumeTimes })
      if (seen.length === 1) throw new Error('not this time')
    },
  })
  await until(() => seen.length === 2, 'the message comes back')
  assert.deepEqual(seen, [
    { topic: 'T1', times: 0 },
    { topic: 'T1', times: 1 },
  ])
  assert.ok(consumer.heldQueues.every(queue => !queue.topic.includes('NSA')))
  const topics = [...rocketmq.broker.store.topics()]
  assert.ok(topics.includes('NSA%T1') && topics.includes('%RETRY%NSA%G1'), topics.join())
})

test('a topic of 127 characters is there after a restart (case R51)', async t => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'rocketmq-e2e-'))
  t.after(() => rmSync(dataDirectory, { recursive: true }))
  const topic = 'x'.repeat(127)
  for (const count of [1, 2]) {
    await using rocketmq = await startRocketMQ({ dataDirectory })
    await using producer = await createProducer({ nameServers: rocketmq.nameServers, group: 'p' })
    const { queue } = await producer.send({ topic, body: 'x' }, { select: queues => queues[0]! })
    await using consumer = await createPullConsumer({ nameServers: rocketmq.nameServers, group: 'c' })
    assert.equal(await consumer.maxOffset(queue), count)
    for (let offset = 0; offset < count; offset++) {
      const [message] = (await consumer.pull(queue, { offset, maxCount: 1 })).messages
      assert.deepEqual([message?.queueOffset, message?.topic], [offset, topic])
    }
  }
})

test('properties of any text come back as they were (case R115)', async () => {
  await using rocketmq = await startRocketMQ()
  await using producer = await createProducer({ nameServers: rocketmq.nameServers, group: 'p' })
  const properties = { loc: 'a,b', q: 'x=1=2', 消息: '中文, "text" {}', lines: 'a\nb\r\tc', long: 'v'.repeat(10_240) }
  const bodies = [Buffer.from('🙂 emoji'), Buffer.from([0, 1, 2, 0xff, 0xfe])]
  for (const body of bodies) {
    const { queue, queueOffset } = await producer.send({ topic: 'T', body, properties, keys: ['k1', 'k2'] })
    await using consumer = await createPullConsumer({ nameServers: rocketmq.nameServers, group: 'c' })
    const [message] = (await consumer.pull(queue, { offset: queueOffset })).messages
    for (const [name, value] of Object.entries(properties)) assert.equal(message?.properties.get(name), value)
    assert.deepEqual(message?.keys, ['k1', 'k2'])
    assert.ok(message?.body.equals(body))
  }
})

const hasIpv6 = Object.values(networkInterfaces()).some(list => list?.some(({ address }) => address === '::1'))
const skip = hasIpv6 ? false : 'this host has no ::1'

test('everything works over ::1: send, pull, query by id, restart (case R103)', { skip }, async t => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'rocketmq-e2e-'))
  t.after(() => rmSync(dataDirectory, { recursive: true }))
  const start = () => startStandalone({ dataDirectory, host: '::1', namesrvPort: 0, brokerPort: 0 })
  let queue: MessageQueue
  {
    await using rocketmq = await start()
    assert.match(rocketmq.namesrvAddress, /^\[::1\]:\d+$/)
    assert.match(rocketmq.brokerAddress, /^\[::1\]:\d+$/)
    await using producer = await createProducer({ nameServers: rocketmq.namesrvAddress, group: 'p' })
    const sent = await producer.send({ topic: 'T', body: 'first', keys: ['k'] })
    queue = sent.queue
    assert.match(sent.offsetMessageId, /^[0-9A-F]{56}$/)
    const found = await producer.admin.viewMessage(sent.offsetMessageId)
    assert.equal(found?.text(), 'first')
    assert.equal(found?.storeHost, rocketmq.brokerAddress.replace('::1', '0:0:0:0:0:0:0:1'), "Java's way to write it")
    await producer.send({ topic: 'T', body: 'second' }, { queue })
  }
  await using rocketmq = await start()
  const got: string[] = []
  await using consumer = await createPushConsumer({
    nameServers: rocketmq.namesrvAddress,
    group: 'c',
    subscriptions: { T: '*' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    handler: ([message]) => void got.push(message!.text()),
  })
  await until(() => got.length === 2, 'both messages')
  assert.deepEqual(got, ['first', 'second'])
  assert.ok(consumer.heldQueues.some(held => held.queueId === queue.queueId))
})

test('finished sends and empty pulls leave nothing behind on the heap (case R105)', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await using rocketmq = await startRocketMQ()
  await using producer = await createProducer({ nameServers: rocketmq.nameServers, group: 'p' })
  await using consumer = await createPullConsumer({ nameServers: rocketmq.nameServers, group: 'c' })
  const { queue } = await producer.send({ topic: 'T', body: 'x' })
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  const work = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      const sends = Array.from({ length: 500 }, () => producer.send({ topic: 'T', body: 'x' }, { queue, signal }))
      await Promise.all(sends)
      const offset = await consumer.maxOffset(queue)
      await Promise.all(Array.from({ length: 50 }, () => consumer.pull(queue, { offset, signal })))
    }
    for (let i = 0; i < 5; i++) {
      await new Promise(resolve => setImmediate(resolve))
      collect()
    }
    return process.memoryUsage().heapUsed
  }
  // So long that tables, pools and compiled code have their size.
  const before = await work(40)
  const after = await work(80)
  assert.equal(producer.pendingCount, 0)
  // 40,000 sends and 4,000 pulls: what a single forgotten promise each would hold is more.
  assert.ok(after - before < 2_000_000, `${after - before} bytes more`)
})
