/** Our lite pull consumer on a Java broker. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createLitePullConsumer, createProducer, type Producer } from '@rocketmq-ts/client'
import { type Started, startJavaBroker, startJavaNamesrv, temporaryDirectory } from '../../peers/dist/index.js'
import { eventually, skipWithoutJava } from './setup.ts'

const skip = { skip: skipWithoutJava }
let home: ReturnType<typeof temporaryDirectory>
let namesrv: Started
let broker: Started
let producer: Producer

before(async () => {
  if (skipWithoutJava) return
  home = temporaryDirectory('lite')
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

test('polls of a Java broker bring tagged messages once; commits are found by the next member', skip, async () => {
  for (let i = 0; i < 40; i++) await producer.send({ topic: 'Lite', body: `m${i}`, tags: i % 2 === 0 ? 'even' : 'odd' })
  const options = {
    nameServers: namesrv.address,
    group: 'group-of-Lite',
    subscriptions: { Lite: 'even' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET' as const,
    autoCommit: false,
  }
  const got: string[] = []
  const first = await createLitePullConsumer(options)
  while (got.length < 20) for (const message of await first.poll()) got.push(message.text())
  await first.commit()
  await first.close()
  await producer.send({ topic: 'Lite', body: 'last', tags: 'even' })
  await using second = await createLitePullConsumer(options)
  for await (const message of second.messages({ signal: AbortSignal.timeout(30_000) })) {
    got.push(message.text())
    if (message.text() === 'last') break
  }
  await second.close()
  assert.equal(got.length, 21)
  assert.deepEqual(new Set(got).size, 21)
})

test('queues of a Java broker can be assigned and sought', skip, async () => {
  const sent = await Promise.all(['a', 'b', 'c'].map(body => producer.send({ topic: 'Sought', body })))
  await using consumer = await createLitePullConsumer({ nameServers: namesrv.address, group: 'group-of-Sought' })
  const { queue } = sent[0]!
  await consumer.assign([queue])
  await consumer.seekToBegin(queue)
  const count = sent.filter(result => result.queue.queueId === queue.queueId).length
  const got: string[] = []
  while (got.length < count) got.push(...(await consumer.poll()).map(message => message.text()))
  assert.ok(got.includes('a'))
  await consumer.close()
})
