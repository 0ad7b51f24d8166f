/** Our consumers against our name server and broker, over real sockets and files. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createProducer, createPullConsumer, createPushConsumer, type PushConsumerOptions } from '@rocketmq-ts/client'
import { type RocketMQ, startRocketMQ, startStandalone } from '@rocketmq-ts/embedded'

/** Looks every few milliseconds; what it waits for is an event of another party. */
async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never came true: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

async function send(rocketmq: { nameServers: string }, topic: string, bodies: string[], tags?: string): Promise<void> {
  await using producer = await createProducer({ nameServers: rocketmq.nameServers, group: 'e2e-producer' })
  await Promise.all(bodies.map(body => producer.send({ topic, body, ...(tags === undefined ? {} : { tags }) })))
}

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

/** A started consumer and what it got: body → how often. */
async function collector(rocketmq: { nameServers: string }, options: Partial<PushConsumerOptions> & { group: string }) {
  const got = new Map<string, number>()
  const consumer = await createPushConsumer({
    nameServers: rocketmq.nameServers,
    subscriptions: { orders: '*' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    handler: messages => {
      for (const message of messages) got.set(message.text(), (got.get(message.text()) ?? 0) + 1)
    },
    ...options,
  })
  return { consumer, got }
}

/** Bodies of a whole topic. */
async function readAll(rocketmq: RocketMQ, topic: string): Promise<string[]> {
  await using consumer = await createPullConsumer({ nameServers: rocketmq.nameServers, group: 'e2e-reader' })
  const bodies: string[] = []
  for (const queue of await consumer.fetchMessageQueues(topic)) {
    for (let offset = 0; offset < (await consumer.maxOffset(queue)); ) {
      const result = await consumer.pull(queue, { offset })
      bodies.push(...result.messages.map(message => message.text()))
      offset = result.nextBeginOffset
    }
  }
  return bodies
}

test('a group consumes each message once, also over a restart of its only member', async () => {
  await using rocketmq = await startRocketMQ()
  await send(rocketmq, 'orders', numbered('a', 100))
  const first = await collector(rocketmq, { group: 'g' })
  await until(() => first.got.size === 100, 'the first member gets all')
  await first.consumer.close()
  await send(rocketmq, 'orders', numbered('b', 100))
  const second = await collector(rocketmq, { group: 'g' })
  await until(() => second.got.size === 100, 'the second one gets the rest')
  await second.consumer.close()
  assert.deepEqual([...second.got.keys()].sort(), numbered('b', 100).sort())
  assert.ok([...first.got.values(), ...second.got.values()].every(count => count === 1))
})

test('a message that comes while the consumer waits is handed over at once', async () => {
  await using rocketmq = await startRocketMQ()
  await send(rocketmq, 'orders', ['warm-up'])
  const { consumer, got } = await collector(rocketmq, { group: 'g' })
  await using producer = await createProducer({ nameServers: rocketmq.nameServers, group: 'p' })
  await until(() => got.size === 1, 'the warm-up')
  for (const body of numbered('m', 20)) {
    await producer.send({ topic: 'orders', body })
    const sentAt = performance.now()
    await until(() => got.has(body), `${body} arrives`)
    assert.ok(performance.now() - sentAt < 2000, 'no sweep and no polling in between')
  }
  await consumer.close()
})

test('two members share the queues, each message is consumed once, also while one joins and one leaves', async () => {
  await using rocketmq = await startRocketMQ()
  await send(rocketmq, 'orders', numbered('a', 200))
  const one = await collector(rocketmq, { group: 'g' })
  await until(() => one.got.size === 200, 'the first member gets all')
  const two = await collector(rocketmq, { group: 'g' })
  const orders = (member: typeof one) => member.consumer.heldQueues.filter(({ topic }) => topic === 'orders').length
  await until(() => orders(one) === 2 && orders(two) === 2, 'the four queues are shared')
  await send(rocketmq, 'orders', numbered('b', 200))
  const total = () => new Set([...one.got.keys(), ...two.got.keys()]).size
  await until(() => total() === 400, 'all are consumed by two')
  await one.consumer.close()
  await send(rocketmq, 'orders', numbered('c', 200))
  await until(() => total() === 600, 'all are consumed by the one who stays')
  await two.consumer.close()
  const counts = new Map(one.got)
  for (const [body, count] of two.got) counts.set(body, (counts.get(body) ?? 0) + count)
  assert.deepEqual(
    [...counts].filter(([, count]) => count > 1),
    [],
  )
})

test('the members of a broadcast get all messages each, and go on where they were after a restart', async () => {
  await using rocketmq = await startRocketMQ()
  const offsetStoreDirectory = mkdtempSync(join(tmpdir(), 'rocketmq-e2e-'))
  const options = { group: 'g', messageModel: 'BROADCASTING', offsetStoreDirectory } as const
  await send(rocketmq, 'orders', numbered('a', 20))
  const one = await collector(rocketmq, { ...options, instanceName: 'one' })
  const two = await collector(rocketmq, { ...options, instanceName: 'two' })
  await until(() => one.got.size === 20 && two.got.size === 20, 'both get all')
  await one.consumer.close()
  await send(rocketmq, 'orders', numbered('b', 20))
  const again = await collector(rocketmq, { ...options, instanceName: 'one' })
  await until(() => again.got.size === 20 && two.got.size === 40, 'both get the rest')
  await Promise.all([again.consumer.close(), two.consumer.close()])
  assert.deepEqual([...again.got.keys()].sort(), numbered('b', 20).sort())
  rmSync(offsetStoreDirectory, { recursive: true })
})

test('tags are selected by the broker; a consumer of rare ones gets through a long backlog', async () => {
  await using rocketmq = await startRocketMQ()
  await using producer = await createProducer({ nameServers: rocketmq.nameServers, group: 'p' })
  const common = Array.from({ length: 500 }, () => ({ topic: 'orders', body: 'common', tags: 'common' }))
  for (let i = 0; i < 10; i++) {
    await producer.sendBatch(common)
    await producer.send({ topic: 'orders', body: `rare ${i}`, tags: 'rare' })
  }
  const { consumer, got } = await collector(rocketmq, { group: 'g', subscriptions: { orders: 'rare || none' } })
  await until(() => got.size === 10, 'all rare ones are found')
  await consumer.close()
  assert.deepEqual([...got.keys()].sort(), numbered('rare ', 10).sort())
})

test('a message sent to the dead letters by its handler is found there', async () => {
  await using rocketmq = await startRocketMQ()
  await send(rocketmq, 'orders', ['good', 'bad'])
  let calls = 0
  const { consumer } = await collector(rocketmq, {
    group: 'g',
    handler: ([message], context) => {
      calls++
      if (message!.text() !== 'bad') return undefined
      context.delayLevelWhenNextConsume = -1
      return 'RECONSUME_LATER'
    },
  })
  await until(() => calls === 2, 'both are handled')
  await consumer.close()
  assert.deepEqual(await readAll(rocketmq, '%DLQ%g'), ['bad'])
})

test('case R03: a new group "from last" replays a young topic, a strict one does not', async () => {
  await using rocketmq = await startRocketMQ()
  await send(rocketmq, 'orders', numbered('old', 10))
  const from = { consumeFromWhere: 'CONSUME_FROM_LAST_OFFSET' } as const
  const asJava = await collector(rocketmq, { ...from, group: 'as-java' })
  const strict = await collector(rocketmq, { ...from, group: 'strict', strictConsumeFromWhere: true })
  await until(() => asJava.got.size === 10, 'the young topic is replayed')
  await send(rocketmq, 'orders', numbered('new', 10))
  await until(() => asJava.got.size === 20 && strict.got.size === 10, 'the new ones arrive')
  assert.deepEqual([...strict.got.keys()].sort(), numbered('new', 10).sort())
  await Promise.all([asJava.consumer.close(), strict.consumer.close()])
})

test('messages are iterated and acknowledged; what was not comes again', async () => {
  await using rocketmq = await startRocketMQ()
  await send(rocketmq, 'orders', numbered('m', 10))
  const create = () =>
    createPushConsumer({
      nameServers: rocketmq.nameServers,
      group: 'g',
      subscriptions: { orders: '*' },
      consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    })
  const first: string[] = []
  await using one = await create()
  for await (const message of one.messages()) {
    if (first.length === 4) break
    first.push(message.text())
    message.ack()
  }
  await one.close()
  const rest: string[] = []
  await using two = await create()
  for await (const message of two.messages()) {
    rest.push(message.text())
    message.ack()
    if (first.length + rest.length === 10) break
  }
  assert.deepEqual([...first, ...rest].sort(), numbered('m', 10).sort())
})

test('a consumer lives through a restart of the broker', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'rocketmq-e2e-'))
  const start = (namesrvPort = 0, brokerPort = 0) => startStandalone({ dataDirectory, namesrvPort, brokerPort })
  const port = (address: string) => Number(address.split(':').at(-1))
  const before = await start()
  const cluster = { nameServers: before.namesrvAddress }
  await send(cluster, 'orders', numbered('a', 50))
  const { consumer, got } = await collector(cluster, { group: 'g' })
  await until(() => got.size === 50, 'all are consumed before')
  await before.close()
  const after = await start(port(before.namesrvAddress), port(before.brokerAddress))
  await send(cluster, 'orders', numbered('b', 50))
  await until(() => got.size === 100, 'all are consumed after')
  await consumer.close()
  await after.close()
  rmSync(dataDirectory, { recursive: true })
})
