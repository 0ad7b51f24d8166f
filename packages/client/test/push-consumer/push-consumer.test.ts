import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReceivedMessage } from '@rocketmq-ts/client'
import { RequestCode } from '@rocketmq-ts/protocol'
import { deferred } from '@rocketmq-ts/runtime'
import { ConsumerScene } from '../support/consumer-scene.ts'
import { rejectionOf } from '../support/fake-cluster.ts'
import { advanceUntil, settle, until } from '../support/manual-clock.ts'

test('messages that are there and messages that come later reach the handler in order, once', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 40; i++) scene.broker.put('orders', 0, { body: `m${i}` })
  const bodies: string[] = []
  const consumer = await scene.push()
  await consumer.start(messages => {
    for (const message of messages) bodies.push(message.text())
  })
  await until(() => bodies.length === 40 && scene.broker.heldCount === 2, 'the backlog is consumed')
  scene.broker.put('orders', 0, { body: 'late' })
  await until(() => bodies.length === 41, 'the late message is consumed')
  assert.deepEqual(bodies, [...Array.from({ length: 40 }, (_, i) => `m${i}`), 'late'])
  await consumer.close()
  assert.equal(scene.broker.offset('g', 'orders', 0), 41)
})

test('with a handler among the options the consumer is started when it is made', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  let count = 0
  const consumer = await scene.push({ handler: () => void count++ })
  assert.equal(consumer.state, 'running')
  await until(() => count === 1, 'the message is consumed')
})

test('a message shows what its producer and broker said of it', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0, {
    body: 'b',
    tags: 'created',
    keys: 'k1 k2',
    uniqueKey: 'U1',
    properties: { colour: 'red' },
  })
  const seen: ReceivedMessage[] = []
  const consumer = await scene.push()
  await consumer.start(messages => void seen.push(...messages))
  await until(() => seen.length === 1, 'the message arrives')
  const [message] = seen as [ReceivedMessage]
  assert.equal(message.topic, 'orders')
  assert.equal(message.brokerName, 'broker-a')
  assert.equal(message.queueId, 0)
  assert.equal(message.queueOffset, 0)
  assert.equal(message.tags, 'created')
  assert.deepEqual(message.keys, ['k1', 'k2'])
  assert.equal(message.messageId, 'U1')
  assert.equal(message.offsetMessageId, '7F00000100002A9F00000000000003E8')
  assert.equal(message.property('colour'), 'red')
  assert.equal(message.properties.get('colour'), 'red')
  assert.equal(message.bornHost, '127.0.0.1:10911')
  assert.equal(message.reconsumeTimes, 0)
})

test('one pull per queue is outstanding, and it may be held', async () => {
  await using scene = await ConsumerScene.start({ orders: 3 })
  const consumer = await scene.push()
  await consumer.start(() => {})
  await until(() => scene.broker.heldCount === 4, 'three queues and the retry queue wait')
  await settle()
  const pulls = scene.broker.of(RequestCode.PULL_MESSAGE)
  assert.equal(pulls.length, 4)
  for (const { extFields } of pulls) {
    assert.equal(extFields?.sysFlag, '2')
    assert.equal(extFields?.suspendTimeoutMillis, '15000')
    assert.equal(extFields?.maxMsgNums, '32')
    assert.equal(extFields?.expressionType, 'TAG')
  }
})

test('a pull carries the offset to commit', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  let count = 0
  const consumer = await scene.push()
  await consumer.start(() => void count++)
  await until(() => count === 1 && scene.broker.heldCount === 2, 'the first message is consumed')
  scene.broker.put('orders', 0)
  await until(() => count === 2 && scene.broker.heldCount === 2, 'the second message is consumed')
  const commits = scene.broker.of(RequestCode.PULL_MESSAGE).filter(({ extFields }) => Number(extFields?.sysFlag) & 1)
  assert.deepEqual(
    commits.map(({ extFields }) => extFields?.commitOffset),
    ['1'],
  )
})

test('offsets are stored every five seconds', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  let count = 0
  const consumer = await scene.push()
  await consumer.start(() => void count++)
  await until(() => count === 1, 'the message is consumed')
  assert.equal(scene.broker.offset('g', 'orders', 0), undefined)
  scene.clock.advance(5000)
  await until(() => scene.broker.offset('g', 'orders', 0) === 1, 'the offset is stored')
})

test('tags that only share their hash code with a wanted one are filtered by the client', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0, { tags: 'Aa', body: 'wanted' })
  scene.broker.put('orders', 0, { tags: 'BB', body: 'same hash code' })
  scene.broker.put('orders', 0, { body: 'no tag' })
  const bodies: string[] = []
  const consumer = await scene.push({ subscriptions: { orders: 'Aa || Cc' } })
  await consumer.start(([message]) => void bodies.push(message!.text()))
  await until(() => bodies.length === 1 && scene.broker.heldCount === 2, 'the pull is answered and the next one waits')
  await settle()
  assert.deepEqual(bodies, ['wanted'])
  await consumer.close()
  assert.equal(scene.broker.offset('g', 'orders', 0), 3, 'what was filtered away need not be looked at again')
})

test('a queue at its limit is not pulled, and is pulled again as soon as messages are done', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 10; i++) scene.broker.put('orders', 0)
  const gates: (() => void)[] = []
  const consumer = await scene.push({ pullThresholdForQueue: 3, pullBatchSize: 4, concurrency: 10 })
  await consumer.start(async () => {
    const gate = deferred()
    gates.push(gate.resolve)
    await gate.promise
  })
  const pullsOfOrders = () =>
    scene.broker.of(RequestCode.PULL_MESSAGE).filter(({ extFields }) => extFields?.topic === 'orders')
  await until(() => gates.length === 4, 'the first pull is with the handlers')
  await settle()
  assert.equal(pullsOfOrders().length, 1)
  gates[3]!()
  await until(() => pullsOfOrders().length === 2, 'one message less: the next pull, without waiting for a timer')
  assert.equal(pullsOfOrders()[1]?.extFields?.queueOffset, '4')
  await until(() => gates.length === 8, 'the second pull is with the handlers')
  for (const open of gates) open()
  await until(() => gates.length === 10, 'the rest follows')
  for (const open of gates) open()
  await consumer.close({ awaitTerminationMs: 1000 })
  assert.equal(scene.broker.offset('g', 'orders', 0), 10)
})

test('no more handlers work at once than allowed', async () => {
  await using scene = await ConsumerScene.start({ orders: 4 })
  for (let i = 0; i < 40; i++) scene.broker.put('orders', i % 4)
  let working = 0
  let most = 0
  let finished = 0
  const consumer = await scene.push({ concurrency: 3 })
  await consumer.start(async () => {
    most = Math.max(most, ++working)
    await new Promise(resolve => setImmediate(resolve))
    working--
    finished++
  })
  await until(() => finished === 40, 'all are consumed')
  assert.equal(most, 3)
})

for (const kind of ['returns at once', 'resolves at once'] as const) {
  test(`a handler that ${kind} does not keep the event loop from other work`, async () => {
    await using scene = await ConsumerScene.start()
    for (let i = 0; i < 300; i++) scene.broker.put('orders', 0)
    let calls = 0
    let isQueued = false
    let most = 0
    let turnCalls = 0
    const consumer = await scene.push({ pullBatchSize: 300 })
    await consumer.start(() => {
      calls++
      turnCalls++
      scene.clock.advance(1)
      most = Math.max(most, turnCalls)
      if (!isQueued) {
        isQueued = true
        setImmediate(() => {
          isQueued = false
          turnCalls = 0
        })
      }
      return kind === 'resolves at once' ? Promise.resolve() : undefined
    })
    await until(() => calls === 300, 'all are consumed')
    assert.ok(most <= 12, `${most} calls of 1 ms in one turn`)
  })
}

test('a handler gets up to a batch of messages of one queue, and may acknowledge the first of them only', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 5; i++) scene.broker.put('orders', 0)
  const sizes: number[] = []
  const consumer = await scene.push({ consumeMessageBatchMaxSize: 3 })
  await consumer.start((messages, context) => {
    sizes.push(messages.length)
    if (sizes.length === 1) context.ackIndex = 0
  })
  const sentBack = () => scene.broker.of(RequestCode.CONSUMER_SEND_MSG_BACK)
  await until(() => sizes.length === 2 && sentBack().length === 2, 'two messages are sent back')
  assert.deepEqual(sizes, [3, 2])
  assert.deepEqual(
    sentBack().map(({ extFields }) => extFields?.offset),
    ['1001', '1002'],
  )
})

test('hooks see each call of the handler before and after, with what became of it', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 3; i++) scene.broker.put('orders', 0, { body: String(i) })
  const seen: string[] = []
  const consumer = await scene.push({
    concurrency: 1,
    hooks: [
      {
        before: context => {
          context.state = context.messages[0]!.text()
        },
        after: context => void seen.push(`${context.state} ${context.success} ${context.returnType}`),
      },
      {
        before: () => {
          throw new Error('a bad hook')
        },
      },
    ],
  })
  await consumer.start(([message]) => {
    if (message!.text() === '1') throw new Error('bad message')
    return message!.text() === '2' ? 'RECONSUME_LATER' : 'CONSUME_SUCCESS'
  })
  await until(() => seen.length === 3, 'all are consumed')
  assert.deepEqual(seen, ['0 true SUCCESS', '1 false EXCEPTION', '2 false FAILED'])
})

test('a topic subscribed while running is consumed, one unsubscribed is given up with its offset', async () => {
  await using scene = await ConsumerScene.start({ orders: 1, payments: 1 })
  scene.broker.put('payments', 0, { body: 'paid' })
  const bodies: string[] = []
  const consumer = await scene.push()
  await consumer.start(([message]) => void bodies.push(message!.text()))
  consumer.subscribe('payments')
  await advanceUntil(scene.clock, () => bodies.length === 1, 'the new topic is consumed')
  consumer.unsubscribe('payments')
  await advanceUntil(scene.clock, () => scene.broker.offset('g', 'payments', 0) === 1, 'its offset is stored')
  assert.ok(!scene.broker.of(RequestCode.HEART_BEAT).at(-1)!.body!.toString().includes('payments'), 'brokers know')
  assert.ok(!consumer.heldQueues.some(queue => queue.topic === 'payments'))
})

test('a suspended consumer pulls nothing until it is resumed', async () => {
  await using scene = await ConsumerScene.start()
  let count = 0
  const consumer = await scene.push()
  await consumer.start(() => void count++)
  await until(() => scene.broker.heldCount === 2, 'the pulls wait')
  consumer.suspend()
  scene.broker.put('orders', 0)
  await until(() => count === 1, 'the pull on its way is still taken')
  const pulls = scene.broker.of(RequestCode.PULL_MESSAGE).length
  scene.broker.put('orders', 0)
  scene.clock.advance(10_000)
  await settle()
  assert.equal(scene.broker.of(RequestCode.PULL_MESSAGE).length, pulls)
  consumer.resume()
  scene.clock.advance(1000)
  await until(() => count === 2, 'consumption goes on')
})

test('with a namespace, topic and group are wrapped on the wire and plain for the user', async () => {
  await using scene = await ConsumerScene.start({ 'ns1%orders': 1, '%RETRY%ns1%g': 1 })
  scene.broker.put('ns1%orders', 0, { body: 'a' })
  scene.broker.put('%RETRY%ns1%g', 0, { body: 'b', properties: { RETRY_TOPIC: 'ns1%orders' } })
  const topics: string[] = []
  const consumer = await scene.push({ namespace: 'ns1' })
  await consumer.start(([message]) => void topics.push(message!.topic))
  await until(() => topics.length === 2, 'both are consumed')
  assert.deepEqual(topics, ['orders', 'orders'])
  assert.equal(scene.broker.of(RequestCode.PULL_MESSAGE)[0]?.extFields?.consumerGroup, 'ns1%g')
})

test('a failed pull is tried again after a second, a flow-controlled one after 20 ms', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  let code = 1
  scene.broker.script = ({ code: request, extFields }) =>
    request === RequestCode.PULL_MESSAGE && extFields?.topic === 'orders' && code !== 0
      ? { code, remark: 'scripted' }
      : undefined
  const pulls = () =>
    scene.broker.of(RequestCode.PULL_MESSAGE).filter(({ extFields }) => extFields?.topic === 'orders').length
  let count = 0
  const consumer = await scene.push()
  await consumer.start(() => void count++)
  await until(() => pulls() === 1, 'the first pull')
  await settle()
  scene.clock.advance(999)
  await settle()
  assert.equal(pulls(), 1)
  code = 215
  scene.clock.advance(1)
  await until(() => pulls() === 2, 'the second pull')
  await settle()
  code = 0
  scene.clock.advance(20)
  await until(() => count === 1, 'the message is consumed')
})

test('a broker that answers empty pulls at once is not asked in a tight loop', async () => {
  await using scene = await ConsumerScene.start()
  const ext = { suggestWhichBrokerId: '0', nextBeginOffset: '0', minOffset: '0', maxOffset: '0' }
  scene.broker.script = ({ code }) => (code === RequestCode.PULL_MESSAGE ? { code: 19, ext } : undefined)
  const consumer = await scene.push()
  await consumer.start(() => {})
  await settle(200)
  const pulls = scene.broker.of(RequestCode.PULL_MESSAGE).length
  assert.ok(pulls <= 10, `${pulls} pulls without any time passing`)
})

test('starting twice, starting without a handler, and misspelt options are refused', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await scene.push()
  assert.equal((await rejectionOf(consumer.start(undefined as never))).code, 'INVALID_ARGUMENT')
  await consumer.start(() => {})
  assert.equal((await rejectionOf(consumer.start(() => {}))).code, 'INVALID_STATE')
  await consumer.close()
  assert.throws(() => consumer.subscribe('other'), { code: 'INVALID_STATE' })
  const misspelt = await rejectionOf(scene.push({ concurency: 3 } as never))
  assert.match(misspelt.message, /did you mean "concurrency"/)
  assert.equal((await rejectionOf(scene.push({ pullBatchSize: 0 }))).code, 'INVALID_ARGUMENT')
  assert.equal((await rejectionOf(scene.push({ group: 'DEFAULT_CONSUMER' }))).code, 'INVALID_ARGUMENT')
})

test('an expression that the broker refuses fails the start with its words', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.script = ({ code }) =>
    code === RequestCode.CHECK_CLIENT_CONFIG ? { code: 23, remark: 'no such operator' } : undefined
  const consumer = await scene.push({ subscriptions: { orders: { expression: 'a ~ 1', type: 'SQL92' } } })
  const error = await rejectionOf(consumer.start(() => {}))
  assert.equal(error.code, 'INVALID_ARGUMENT')
  assert.match(error.message, /no such operator/)
  assert.equal(consumer.state, 'closed')
})

test('a consumer without any name server fails to start; one whose name server is down starts and waits for it', async () => {
  await using scene = await ConsumerScene.start()
  const lost = await scene.push({ nameServers: '' })
  assert.equal((await rejectionOf(lost.start(() => {}))).code, 'NO_NAME_SERVER')
  assert.equal((await rejectionOf(scene.pull({ nameServers: '' }))).code, 'NO_NAME_SERVER')
  scene.broker.put('orders', 0)
  scene.nameServer.isSilent = true
  let count = 0
  const consumer = await scene.push({ requestTimeoutMs: 100 })
  let isStarted = false
  void consumer
    .start(() => void count++)
    .then(() => {
      isStarted = true
    })
  await advanceUntil(scene.clock, () => isStarted, 'the start does not wait for ever')
  assert.deepEqual(consumer.heldQueues, [])
  scene.nameServer.isSilent = false
  await advanceUntil(scene.clock, () => count === 1, 'the message is consumed')
})

test('a closed consumer leaves no timer behind and has told the broker', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await scene.push()
  await consumer.start(() => {})
  await until(() => scene.broker.heldCount === 2, 'the pulls wait')
  await consumer.close()
  const goodbye = scene.broker.of(RequestCode.UNREGISTER_CLIENT).map(({ extFields }) => extFields?.consumerGroup)
  assert.deepEqual(goodbye, ['g'])
  assert.equal(scene.clock.pendingCount, 0)
})
