import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { decodeProperties } from '@rocketmq-ts/model'
import { decodeSendRequest, type RemotingCommand, RequestCode } from '@rocketmq-ts/protocol'
import { deferred } from '@rocketmq-ts/runtime'
import { ConsumerScene } from '../support/consumer-scene.ts'
import { advanceUntil, settle, until } from '../support/manual-clock.ts'

const sentBack = (scene: ConsumerScene) => scene.broker.of(RequestCode.CONSUMER_SEND_MSG_BACK)

/** A script that lets requests of the given codes fail. */
const failing =
  (...codes: number[]) =>
  ({ code }: RemotingCommand) =>
    codes.includes(code) ? { code: 1, remark: 'scripted' } : undefined

test('a message whose handler throws or rejects is sent back, and the offset passes it', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0, { body: 'throws', uniqueKey: 'U0' })
  scene.broker.put('orders', 0, { body: 'rejects' })
  scene.broker.put('orders', 0, { body: 'good' })
  const consumer = await scene.push()
  await consumer.start(([message], context) => {
    if (message!.text() === 'throws') {
      context.delayLevelWhenNextConsume = 4
      throw new Error('no')
    }
    return message!.text() === 'rejects' ? Promise.reject(new Error('no')) : undefined
  })
  await until(() => sentBack(scene).length === 2, 'two are sent back')
  await consumer.close({ awaitTerminationMs: 1000 })
  assert.equal(scene.broker.offset('g', 'orders', 0), 3)
  const first = sentBack(scene).find(({ extFields }) => extFields?.offset === '1000')!.extFields
  assert.equal(first?.group, 'g')
  assert.equal(first?.delayLevel, '4')
  assert.equal(first?.maxReconsumeTimes, '16')
  assert.equal(first?.originMsgId, 'U0')
  assert.equal(first?.originTopic, 'orders')
  assert.equal(first?.bname, 'broker-a')
})

test('a retried message shows its original topic and how often it was tried', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('%RETRY%g', 0, { properties: { RETRY_TOPIC: 'orders' }, reconsumeTimes: 2 })
  const seen: [string, number][] = []
  const consumer = await scene.push()
  await consumer.start(([message]) => void seen.push([message!.topic, message!.reconsumeTimes]))
  await until(() => seen.length === 1, 'the retry is consumed')
  assert.deepEqual(seen, [['orders', 2]])
})

test('what the broker does not take back is sent to the retry topic as a message of its own', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0, {
    body: 'bad',
    tags: 't',
    uniqueKey: 'U0',
    reconsumeTimes: 1,
    properties: { TRAN_MSG: 'true' },
  })
  scene.broker.script = failing(RequestCode.CONSUMER_SEND_MSG_BACK)
  const consumer = await scene.push({ maxReconsumeTimes: 5 })
  await consumer.start(() => 'RECONSUME_LATER')
  const sends = () => scene.broker.of(RequestCode.SEND_MESSAGE_V2)
  await until(() => sends().length === 1, 'the copy is sent')
  const header = decodeSendRequest(sends()[0]!)
  assert.equal(header.topic, '%RETRY%g')
  assert.equal(header.reconsumeTimes, 2)
  assert.equal(header.maxReconsumeTimes, 5)
  assert.equal(sends()[0]!.body?.toString(), 'bad')
  const properties = Object.fromEntries(decodeProperties(header.properties ?? ''))
  assert.deepEqual(properties, {
    TAGS: 't',
    UNIQ_KEY: 'U0',
    RETRY_TOPIC: 'orders',
    ORIGIN_MESSAGE_ID: 'U0',
    RECONSUME_TIME: '2',
    MAX_RECONSUME_TIMES: '5',
    DELAY: '4',
  })
  await consumer.close({ awaitTerminationMs: 1000 })
  assert.equal(scene.broker.offset('g', 'orders', 0), 1)
})

test('a message meant for the dead letters gets there by the second way too', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  scene.broker.script = failing(RequestCode.CONSUMER_SEND_MSG_BACK)
  const consumer = await scene.push()
  await consumer.start((_messages, context) => {
    context.delayLevelWhenNextConsume = -1
    return 'RECONSUME_LATER'
  })
  await until(() => scene.broker.of(RequestCode.SEND_MESSAGE_V2).length === 1, 'the copy is sent')
  const header = decodeSendRequest(scene.broker.of(RequestCode.SEND_MESSAGE_V2)[0]!)
  assert.ok(
    header.reconsumeTimes! > header.maxReconsumeTimes!,
    'over the limit, so that the broker makes it a dead letter',
  )
})

test('a message that cannot be sent back at all is given to the handler again after five seconds', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  scene.broker.put('orders', 0)
  scene.broker.script = failing(RequestCode.CONSUMER_SEND_MSG_BACK, RequestCode.SEND_MESSAGE_V2)
  const tries: number[] = []
  const consumer = await scene.push()
  await consumer.start(([message]) => {
    if (message!.queueOffset === 1) return undefined
    tries.push(message!.reconsumeTimes)
    return tries.length < 2 ? 'RECONSUME_LATER' : undefined
  })
  await until(() => scene.broker.of(RequestCode.SEND_MESSAGE_V2).length === 1, 'both ways were tried')
  await settle()
  scene.clock.advance(4999)
  await settle()
  assert.deepEqual(tries, [0])
  assert.notEqual(scene.broker.offset('g', 'orders', 0), 2, 'the offset stays below the message')
  scene.clock.advance(1)
  await until(() => tries.length === 2, 'it comes again')
  assert.deepEqual(tries, [0, 1])
  await consumer.close()
  assert.equal(scene.broker.offset('g', 'orders', 0), 2)
})

test('a handler that takes longer than the consume time-out loses its message and its place', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0, { body: 'stuck' })
  scene.broker.put('orders', 0, { body: 'next' })
  const gate = deferred()
  const bodies: string[] = []
  let isAborted = false
  const consumer = await scene.push({ concurrency: 1, consumeTimeoutMs: 30_000 })
  await consumer.start(async ([message], context) => {
    bodies.push(message!.text())
    if (message!.text() !== 'stuck') return
    context.signal.addEventListener('abort', () => {
      isAborted = true
    })
    await gate.promise
  })
  await until(() => bodies.length === 1, 'the handler is stuck')
  await advanceUntil(scene.clock, () => bodies.length === 2, 'the next message gets the place', 1000)
  assert.equal(isAborted, true)
  assert.deepEqual(
    sentBack(scene).map(({ extFields }) => [extFields?.offset, extFields?.delayLevel]),
    [['1000', '3']],
  )
  gate.resolve()
  await settle()
  await consumer.close()
  assert.equal(sentBack(scene).length, 1, 'the late end changes nothing')
  assert.equal(scene.broker.offset('g', 'orders', 0), 2)
})

test('a broadcasting member gets all queues, drops what fails, and keeps its offsets in a file', async () => {
  await using scene = await ConsumerScene.start({ orders: 2 })
  scene.broker.members.set('g', new Set(['another member']))
  scene.broker.put('orders', 0)
  scene.broker.put('orders', 1)
  let count = 0
  const options = {
    messageModel: 'BROADCASTING',
    instanceName: 'stable',
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
  } as const
  const first = await scene.push(options)
  await first.start(() => {
    count++
    throw new Error('no')
  })
  await until(() => count === 2, 'both queues are consumed')
  await first.close()
  assert.equal(sentBack(scene).length, 0)
  assert.equal(scene.broker.of(RequestCode.UPDATE_CONSUMER_OFFSET).length, 0)
  assert.ok(!scene.broker.of(RequestCode.PULL_MESSAGE).some(({ extFields }) => extFields?.topic === '%RETRY%g'))
  const path = join(scene.directory, '10.0.0.1@stable', 'g', 'offsets.json')
  assert.ok(existsSync(path))
  assert.match(readFileSync(path, 'utf8'), /\{"brokerName":"broker-a","queueId":0,"topic":"orders"\}:1/)

  scene.broker.put('orders', 0)
  const second = await scene.push(options)
  await second.start(() => void count++)
  await until(() => count === 3, 'after a restart it goes on where it was')
  await settle()
  assert.equal(count, 3)
})
