import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createProducer, createPullConsumer, createPushConsumer } from '@rocketmq-ts/client'
import {
  type Started,
  startJava,
  startJavaBroker,
  startJavaNamesrv,
  temporaryDirectory,
} from '../../peers/dist/index.js'
import { eventually, numbered, skipWithoutJava } from './setup.ts'

let home: ReturnType<typeof temporaryDirectory>
let namesrv: Started
let broker: Started

before(async () => {
  if (skipWithoutJava) return
  home = temporaryDirectory('interop')
  namesrv = await startJavaNamesrv(home.path)
  broker = await startJavaBroker(home.path, namesrv.address, `${home.path}/store`)
})

after(async () => {
  if (skipWithoutJava) return
  await broker.process.stop()
  await namesrv.process.stop()
  home.dispose()
})

test('our producer and push consumer work with the Java name server and broker', {
  skip: skipWithoutJava,
}, async () => {
  const nameServers = namesrv.address
  await using producer = await createProducer({ nameServers, group: 'ts-producer' })
  const ids = new Set<string>()
  for (const body of numbered('plain', 20)) {
    const result = await producer.send({ topic: 'FromTs', body, tags: 'a', keys: [body], properties: { origin: 'ts' } })
    assert.equal(result.status, 'SEND_OK')
    ids.add(result.messageId)
  }
  const large = Buffer.alloc(30_000, 'compressible ')
  await producer.send({ topic: 'FromTs', body: large, tags: 'b' })
  await producer.sendBatch(numbered('batch', 10).map(body => ({ topic: 'FromTs', body, tags: 'a' })))
  assert.equal(ids.size, 20)

  const got: { body: Buffer; origin: string | undefined }[] = []
  await using consumer = await createPushConsumer({
    nameServers,
    group: 'ts-consumer',
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    subscriptions: { FromTs: '*' },
    handler: messages => {
      for (const message of messages)
        got.push({ body: Buffer.from(message.body), origin: message.properties.get('origin') })
    },
  })
  await eventually('31 messages', () => got.length >= 31)
  const bodies = got.map(each => each.body.toString())
  for (const body of [...numbered('plain', 20), ...numbered('batch', 10), large.toString()]) {
    assert.equal(bodies.filter(each => each === body).length, 1, body.slice(0, 40))
  }
  assert.equal(got.filter(each => each.origin === 'ts').length, 20)
  await consumer.close()
})

test('our pull consumer reads a Java queue from its first to its last message', { skip: skipWithoutJava }, async () => {
  const nameServers = namesrv.address
  await using producer = await createProducer({ nameServers, group: 'ts-producer-2' })
  for (const body of numbered('p', 30)) await producer.send({ topic: 'Pulled', body })
  await using consumer = await createPullConsumer({ nameServers, group: 'ts-puller' })
  const bodies: string[] = []
  for (const queue of await consumer.fetchMessageQueues('Pulled')) {
    for (let offset = await consumer.minOffset(queue); offset < (await consumer.maxOffset(queue)); ) {
      const result = await consumer.pull(queue, { offset, maxCount: 8 })
      for (const message of result.messages) bodies.push(message.body.toString())
      offset = result.nextBeginOffset
    }
  }
  assert.deepEqual(bodies.sort(), numbered('p', 30).sort())
})

test('a Java and two of our consumers in one group share the queues, and each message is consumed once', {
  skip: skipWithoutJava,
}, async () => {
  const nameServers = namesrv.address
  await using producer = await createProducer({ nameServers, group: 'ts-producer-3' })
  await producer.send({ topic: 'Mixed', body: 'warm-up' })
  const got = new Map<string, number>()
  const start = (instanceName: string) =>
    createPushConsumer({
      nameServers,
      group: 'mixed-group',
      instanceName,
      consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
      subscriptions: { Mixed: '*' },
      handler: messages => {
        for (const message of messages) {
          const body = message.body.toString()
          got.set(body, (got.get(body) ?? 0) + 1)
        }
      },
    })
  await using one = await start('one')
  const javaPeer = await startJava(
    'java consumer',
    'JavaPeer',
    ['consume', `namesrv=${nameServers}`, 'topic=Mixed', 'group=mixed-group', 'instance=java'],
    { home: home.path, ready: /started/ },
  )
  await using two = await start('two')
  // Each member has its share once nobody holds all four queues.
  await eventually('three members share the queues', async () => {
    return [one, two].every(member => {
      const held = member.heldQueues.filter(queue => queue.topic === 'Mixed').length
      return held >= 1 && held <= 2
    })
  })
  for (const body of numbered('x', 200)) await producer.send({ topic: 'Mixed', body })
  const javaBodies = () => [...javaPeer.text.matchAll(/got (x-\d+) /g)].map(match => match[1] as string)
  await eventually(
    '200 messages',
    () => [...got.keys()].filter(body => body.startsWith('x-')).length + javaBodies().length >= 200,
  )
  const all = [...got.keys(), ...javaBodies()].filter(body => body.startsWith('x-'))
  assert.deepEqual(all.sort(), numbered('x', 200).sort())
  assert.ok(javaBodies().length > 0, 'the Java member consumed its share')
  for (const [body, count] of got) assert.equal(count, 1, body)
  javaPeer.write('stop')
  await javaPeer.exited
})
