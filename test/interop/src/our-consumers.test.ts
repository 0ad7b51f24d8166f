/** What our consumers do with a Java broker beside plain consumption: retries, broadcasts, and what Java's tools ask of them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createProducer, createPushConsumer, type Producer, type PushConsumerOptions } from '@rocketmq-ts/client'
import {
  javaMqadmin,
  type Started,
  startJavaBroker,
  startJavaNamesrv,
  temporaryDirectory,
} from '../../peers/dist/index.js'
import { eventually, numbered, skipWithoutJava } from './setup.ts'

const skip = { skip: skipWithoutJava }
let home: ReturnType<typeof temporaryDirectory>
let namesrv: Started
let broker: Started
let producer: Producer

before(async () => {
  if (skipWithoutJava) return
  home = temporaryDirectory('interop')
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

const options = (topic: string): PushConsumerOptions => ({
  nameServers: namesrv.address,
  group: `group-of-${topic}`,
  consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
  subscriptions: { [topic]: '*' },
})

test('failed messages come back from a Java broker after their delay, or go to its dead letters', skip, async () => {
  for (const body of ['good', 'again', 'never']) await producer.send({ topic: 'Retried', body, keys: [body] })
  const got: string[] = []
  const dead: string[] = []
  await using consumer = await createPushConsumer({
    ...options('Retried'),
    handler: ([message], context) => {
      const body = message!.text()
      got.push(`${message!.topic} ${body} ${message!.reconsumeTimes} ${message!.keys}`)
      if (body === 'again' && message!.reconsumeTimes === 0) {
        context.delayLevelWhenNextConsume = 1
        throw new Error('not yet')
      }
      if (body !== 'never') return undefined
      context.delayLevelWhenNextConsume = -1
      return 'RECONSUME_LATER'
    },
  })
  await eventually('the retry', () => got.length >= 4)
  await consumer.close()
  await using undertaker = await createPushConsumer({
    ...options('%DLQ%group-of-Retried'),
    group: 'undertaker',
    handler: ([message]) => void dead.push(message!.text()),
  })
  await eventually('the dead letter', () => dead.length === 1)
  await undertaker.close()
  assert.deepEqual(got.slice(0, 3).sort(), ['Retried again 0 again', 'Retried good 0 good', 'Retried never 0 never'])
  assert.deepEqual(got.slice(3), ['Retried again 1 again'])
  assert.deepEqual(dead, ['never'])
})

test('each member of a broadcast gets all messages of a Java broker', skip, async () => {
  for (const body of numbered('b', 10)) await producer.send({ topic: 'Broadcast', body })
  const got = { one: [] as string[], two: [] as string[] }
  const member = (name: 'one' | 'two') =>
    createPushConsumer({
      ...options('Broadcast'),
      messageModel: 'BROADCASTING',
      instanceName: name,
      offsetStoreDirectory: home.path,
      handler: ([message]) => void got[name].push(message!.text()),
    })
  await using one = await member('one')
  await using two = await member('two')
  await eventually('both have all', () => got.one.length === 10 && got.two.length === 10)
  await Promise.all([one.close(), two.close()])
  assert.deepEqual(got.one.sort(), got.two.sort())
})

test(
  "Java's tools see our consumer, its progress and its inside, reset its offset and let it consume a message",
  skip,
  async () => {
    const topic = 'Watched'
    const group = `group-of-${topic}`
    const admin = async (...args: string[]) => {
      const { output } = await javaMqadmin(home.path, [...args, '-n', namesrv.address])
      return output
    }
    const ids: string[] = []
    for (const body of numbered('w', 8)) ids.push((await producer.send({ topic, body })).offsetMessageId!)
    const got: string[] = []
    await using consumer = await createPushConsumer({
      ...options(topic),
      persistConsumerOffsetIntervalMs: 200,
      handler: ([message]) => void got.push(message!.text()),
    })
    await eventually('all are consumed', () => got.length === 8)
    const { clientId } = consumer

    const connection = await admin('consumerConnection', '-g', group)
    assert.match(connection, new RegExp(`${clientId}\\s.*V5_3_3`))
    assert.match(connection, /^Watched\s+\*$/m)
    assert.match(connection, /ConsumeType: CONSUME_PASSIVELY/)

    let progress = ''
    await eventually('the stored offsets are at the end', async () => {
      progress = await admin('consumerProgress', '-g', group)
      return /Consume Diff Total: 0/.test(progress)
    })
    assert.match(progress, /Watched/)

    const status = await admin('consumerStatus', '-g', group, '-i', clientId!)
    assert.match(status, /#Consumer Properties#/)
    assert.match(status, /Watched/)
    assert.match(status, /consumeThreadMin/)

    const direct = await admin('queryMsgById', '-i', ids[3]!, '-g', group, '-d', clientId!, '-t', topic)
    assert.match(direct, /CR_SUCCESS/)
    await eventually('the message is consumed once more', () => got.length === 9)
    assert.equal(got[8], 'w-3')

    await admin('resetOffsetByTime', '-g', group, '-t', topic, '-s', '0')
    await eventually('all are consumed once more', () => got.length === 17, 40_000)
    await consumer.close()
    assert.deepEqual(got.slice(9).sort(), numbered('w', 8).sort())
  },
)
