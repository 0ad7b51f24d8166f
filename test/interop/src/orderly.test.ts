/** Our orderly consumers on a Java broker: its queue locks, a member that joins, dead letters, Java's tools. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  createProducer,
  createPullConsumer,
  createPushConsumer,
  type MessageHandler,
  type Producer,
  type PushConsumerOptions,
} from '@rocketmq-ts/client'
import { type Started, startJavaBroker, startJavaNamesrv, temporaryDirectory } from '../../peers/dist/index.js'
import { eventually, skipWithoutJava } from './setup.ts'

const skip = { skip: skipWithoutJava }
let home: ReturnType<typeof temporaryDirectory>
let namesrv: Started
let broker: Started
let producer: Producer

before(async () => {
  if (skipWithoutJava) return
  home = temporaryDirectory('orderly')
  namesrv = await startJavaNamesrv(home.path)
  broker = await startJavaBroker(home.path, namesrv.address, `${home.path}/store`)
  producer = await createProducer({ nameServers: namesrv.address, group: 'ts-producer' })
  // The broker is up before the name server knows it.
  await eventually('the first message is stored', () =>
    producer.send({ topic: 'Warm', body: 'up' }).then(
      () => true,
      () => false,
    ),
  )
})

after(async () => {
  if (skipWithoutJava) return
  await producer.close()
  await broker.process.stop()
  await namesrv.process.stop()
  home.dispose()
})

const orderly = (topic: string, handler: MessageHandler, options: Partial<PushConsumerOptions> = {}) =>
  createPushConsumer({
    nameServers: namesrv.address,
    group: `group-of-${topic}`,
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    subscriptions: { [topic]: '*' },
    orderly: true,
    suspendCurrentQueueTimeMs: 20,
    handler,
    ...options,
  })

test(
  'a Java broker locks our queues: a member joins under load and handlers fail, the order is kept',
  skip,
  async () => {
    await producer.send({ topic: 'Ordered', body: 'make the topic' })
    await using observer = await createPullConsumer({ nameServers: namesrv.address, group: 'observer' })
    const queues = await observer.fetchMessageQueues('Ordered')
    const total = 200
    const done = new Map<number, number>()
    const broken: string[] = []
    let failures = 0
    const handler: MessageHandler = async ([message]) => {
      const { queueId, queueOffset } = message!
      const expected = done.get(queueId) ?? 0
      if (queueOffset > expected) broken.push(`queue ${queueId}: ${queueOffset} came when ${expected} was due`)
      await new Promise(resolve => setImmediate(resolve))
      if (queueOffset % 50 === 49 && failures++ % 2 === 0) throw new Error('simulated')
      done.set(queueId, Math.max(done.get(queueId) ?? 0, queueOffset + 1))
    }
    const doneCount = () => [...done.values()].reduce((sum, count) => sum + count, 0)
    const first = await orderly('Ordered', handler)
    const sending = Promise.all(
      queues.map(async queue => {
        for (let i = 0; i < total; i++) await producer.send({ topic: 'Ordered', body: `${i}` }, { queue })
      }),
    )
    await using second = await orderly('Ordered', handler)
    await eventually('some are handled', () => doneCount() > total)
    await first.close()
    await sending
    await eventually('all are handled', () => doneCount() === total * queues.length + 1)
    await second.close()
    assert.deepEqual(broken, [])
    assert.ok(failures > 0)
  },
)

test('what fails too often goes to the dead letters of a Java broker, and the queue goes on', skip, async () => {
  const { queue } = await producer.send({ topic: 'Failing', body: '1' })
  for (const body of ['bad', '3']) await producer.send({ topic: 'Failing', body }, { queue })
  const seen: string[] = []
  const handler: MessageHandler = ([message]) => {
    seen.push(message!.text())
    if (message!.text() === 'bad') throw new Error('simulated')
  }
  await using consumer = await orderly('Failing', handler, { maxReconsumeTimes: 1 })
  await eventually('the queue goes on', () => seen.includes('3'))
  assert.deepEqual(seen, ['1', 'bad', 'bad', '3'])
  const dead: string[] = []
  await using undertaker = await createPushConsumer({
    nameServers: namesrv.address,
    group: 'undertaker',
    subscriptions: { '%DLQ%group-of-Failing': '*' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    handler: ([message]) => void dead.push(message!.text()),
  })
  await eventually('the dead letter', () => dead.length === 1)
  assert.deepEqual(dead, ['bad'])
  await undertaker.close()
  await consumer.close()
})
