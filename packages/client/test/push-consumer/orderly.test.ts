import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HandlerOutcome, PushConsumerOptions } from '@rocketmq-ts/client'
import { lockBatchRequestBody, RequestCode, requestCommand } from '@rocketmq-ts/protocol'
import { deferred } from '@rocketmq-ts/runtime'
import { ConsumerScene } from '../support/consumer-scene.ts'
import { advanceUntil, settle, until } from '../support/manual-clock.ts'
import { record } from '../support/records.ts'

const lockOf = (scene: ConsumerScene) => scene.broker.locks.get('g orders 0')
const committed = (scene: ConsumerScene) => scene.broker.offset('g', 'orders', 0) ?? 0

function put(scene: ConsumerScene, count: number, queueId = 0): void {
  for (let i = 1; i <= count; i++) scene.broker.put('orders', queueId, { body: String(i) })
}

const orderly = (scene: ConsumerScene, options: Partial<PushConsumerOptions> = {}) =>
  scene.push({ orderly: true, ...options })

test('a queue is locked before its offset is asked for and before its first pull', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 1)
  const seen: string[] = []
  const consumer = await orderly(scene)
  await consumer.start(([message]) => void seen.push(message!.text()))
  await until(() => seen.length === 1, 'it is handled')
  const { LOCK_BATCH_MQ, QUERY_CONSUMER_OFFSET, PULL_MESSAGE } = RequestCode
  const isOfOrders = (code: number, topic: string | undefined, body: unknown) =>
    code === LOCK_BATCH_MQ
      ? lockBatchRequestBody.decode(body as Buffer).mqSet[0]?.topic === 'orders'
      : topic === 'orders' && (code === QUERY_CONSUMER_OFFSET || code === PULL_MESSAGE)
  const codes = scene.broker.requests
    .filter(({ code, extFields, body }) => isOfOrders(code, extFields?.topic, body))
    .map(({ code }) => code)
  assert.deepEqual(codes.slice(0, 3), [LOCK_BATCH_MQ, QUERY_CONSUMER_OFFSET, PULL_MESSAGE])
})

test('a queue that another member has locked is taken when that one lets go, at the offset it left', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 4)
  scene.broker.locks.set('g orders 0', 'another')
  const seen: string[] = []
  const consumer = await orderly(scene)
  await consumer.start(([message]) => void seen.push(message!.text()))
  await settle()
  assert.deepEqual(seen, [])
  assert.equal(consumer.heldQueues.filter(({ topic }) => topic === 'orders').length, 0)
  scene.broker.offsets.set('g orders 0', 2)
  scene.broker.locks.delete('g orders 0')
  await advanceUntil(scene.clock, () => seen.length === 2, 'the rest is handled')
  assert.deepEqual(seen, ['3', '4'])
})

for (const failure of ['throw', 'suspend', 'later'] as const) {
  test(`a message that fails three times (${failure}) keeps those behind it waiting; nothing is committed past it`, async () => {
    await using scene = await ConsumerScene.start()
    put(scene, 5)
    const seen: string[] = []
    const times: number[] = []
    const consumer = await orderly(scene, { concurrency: 4, persistConsumerOffsetIntervalMs: 100 })
    await consumer.start(([message], context): HandlerOutcome => {
      const text = message!.text()
      seen.push(text)
      if (text !== '2') return
      assert.ok(committed(scene) <= 1, `committed ${committed(scene)}`)
      times.push(message!.reconsumeTimes)
      if (times.length > 3) return
      context.suspendCurrentQueueTimeMs = 400
      if (failure === 'throw') throw new Error('not yet')
      return failure === 'suspend' ? 'SUSPEND_CURRENT_QUEUE_A_MOMENT' : 'RECONSUME_LATER'
    })
    await advanceUntil(scene.clock, () => seen.length === 8, 'all are handled')
    assert.deepEqual(seen, ['1', '2', '2', '2', '2', '3', '4', '5'])
    assert.deepEqual(times, [0, 1, 2, 3])
    await advanceUntil(scene.clock, () => committed(scene) === 5, 'all are committed')
    assert.deepEqual(scene.broker.of(RequestCode.CONSUMER_SEND_MSG_BACK), [])
  })
}

test('a restart in the middle of a suspended queue begins at the message that failed', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 5)
  const first = await orderly(scene)
  let tries = 0
  await first.start(([message]) => {
    if (message!.text() !== '2') return
    tries++
    throw new Error('not yet')
  })
  await advanceUntil(scene.clock, () => tries === 2, 'it fails twice')
  await first.close({ awaitTerminationMs: 1000 })
  assert.equal(committed(scene), 1)
  assert.equal(lockOf(scene), undefined)
  const seen: [string, number][] = []
  const second = await orderly(scene)
  await second.start(([message]) => void seen.push([message!.text(), message!.reconsumeTimes]))
  await advanceUntil(scene.clock, () => seen.length === 4, 'the rest is handled')
  assert.deepEqual(
    seen.map(([text]) => text),
    ['2', '3', '4', '5'],
  )
})

test('a queue pauses for as long as the option says, and for as long as the context says, within bounds', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 1)
  const calls: number[] = []
  const wanted = [-1, 1, 90_000, 50]
  const consumer = await orderly(scene, { suspendCurrentQueueTimeMs: 700 })
  await consumer.start((_, context) => {
    context.suspendCurrentQueueTimeMs = wanted[calls.length] ?? -1
    calls.push(scene.clock.monotonic())
    if (calls.length <= wanted.length) return 'SUSPEND_CURRENT_QUEUE_A_MOMENT'
  })
  await until(() => calls.length === 1, 'the first call')
  await advanceUntil(scene.clock, () => calls.length === 5, 'all calls', 10)
  assert.deepEqual(
    calls.slice(1).map((at, i) => at - calls[i]!),
    [700, 10, 30_000, 50],
  )
})

test('a batch waits for the one before it; batches have the size that the option says', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 7)
  const gate = deferred()
  const seen: string[][] = []
  const consumer = await orderly(scene, { consumeMessageBatchMaxSize: 3 })
  await consumer.start(async messages => {
    seen.push(messages.map(message => message.text()))
    await gate.promise
  })
  await until(() => seen.length === 1, 'the first batch is out')
  await settle()
  assert.deepEqual(seen, [['1', '2', '3']])
  gate.resolve()
  await until(() => seen.length === 3, 'all batches are out')
  assert.deepEqual(seen, [['1', '2', '3'], ['4', '5', '6'], ['7']])
})

test('queues take turns: one that has much does not keep the others waiting', async () => {
  await using scene = await ConsumerScene.start({ orders: 2 })
  put(scene, 50, 0)
  put(scene, 5, 1)
  const seen: number[] = []
  const consumer = await orderly(scene, { concurrency: 1 })
  await consumer.start(async ([message]) => {
    seen.push(message!.queueId)
    await settle(2)
  })
  await until(() => seen.length === 55, 'all are handled')
  assert.ok(seen.lastIndexOf(1) < 30, `queue 1 was done after ${seen.lastIndexOf(1)} calls`)
})

test('with autoCommit off nothing is committed before COMMIT, and ROLLBACK brings everything since again', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 4)
  const seen: string[] = []
  const consumer = await orderly(scene, { persistConsumerOffsetIntervalMs: 100 })
  await consumer.start(([message], context): HandlerOutcome => {
    context.autoCommit = false
    const text = message!.text()
    seen.push(text)
    if (text === '2') return seen.length < 4 ? 'ROLLBACK' : 'COMMIT'
  })
  await advanceUntil(scene.clock, () => seen.length === 6, 'all are handled')
  assert.deepEqual(seen, ['1', '2', '1', '2', '3', '4'])
  await consumer.close({ awaitTerminationMs: 1000 })
  assert.equal(committed(scene), 2)
})

test('a message that failed maxReconsumeTimes times goes to the retry topic and the queue goes on', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 3)
  const seen: string[] = []
  const consumer = await orderly(scene, { maxReconsumeTimes: 2 })
  await consumer.start(([message]) => {
    seen.push(message!.text())
    if (message!.text() === '2') throw new Error('never')
  })
  await advanceUntil(scene.clock, () => seen.length === 5, 'all are handled')
  assert.deepEqual(seen, ['1', '2', '2', '2', '3'])
  assert.equal(scene.broker.of(RequestCode.SEND_MESSAGE_V2).length, 1)
  const { extFields } = scene.broker.of(RequestCode.SEND_MESSAGE_V2)[0]!
  assert.equal(extFields?.b, '%RETRY%g')
  assert.equal(extFields?.j, '3')
  assert.equal(extFields?.l, '2')
  await consumer.close({ awaitTerminationMs: 1000 })
  assert.equal(committed(scene), 3)
})

test('a message that cannot be sent away comes again', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 2)
  const seen: string[] = []
  let isRefusing = true
  scene.broker.script = ({ code }) =>
    code === RequestCode.SEND_MESSAGE_V2 && isRefusing ? { code: 1, remark: 'scripted' } : undefined
  const consumer = await orderly(scene, { maxReconsumeTimes: 0 })
  await consumer.start(([message]) => {
    seen.push(message!.text())
    if (seen.length === 3) isRefusing = false
    if (message!.text() === '1') throw new Error('never')
  })
  await advanceUntil(scene.clock, () => seen.length === 4, 'the second one is handled')
  assert.deepEqual(seen, ['1', '1', '1', '2'])
})

test('locks are renewed every twenty seconds', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await orderly(scene)
  await consumer.start(() => {})
  const before = scene.broker.of(RequestCode.LOCK_BATCH_MQ).length
  for (let second = 0; second < 62; second++) {
    scene.clock.advance(1000)
    await settle(10)
  }
  assert.equal(scene.broker.of(RequestCode.LOCK_BATCH_MQ).length - before, 4)
})

test('a queue whose lock went to another member is given up: its handler hears of it, its result is not committed', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 3)
  const gate = deferred()
  let signal: AbortSignal | undefined
  const seen: string[] = []
  const consumer = await orderly(scene)
  await consumer.start(async ([message], context) => {
    seen.push(message!.text())
    signal = context.signal
    await gate.promise
  })
  await until(() => seen.length === 1, 'the first one is out')
  scene.broker.locks.set('g orders 0', 'another')
  await advanceUntil(scene.clock, () => signal!.aborted, 'the handler hears of it')
  gate.resolve()
  await settle()
  await consumer.close({ awaitTerminationMs: 1000 })
  assert.deepEqual(seen, ['1'])
  assert.equal(scene.broker.offset('g', 'orders', 0), undefined)
  assert.equal(lockOf(scene), 'another')
})

test('while locks cannot be renewed for thirty seconds nothing is handled or committed; it goes on when they can', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 2)
  let gate = deferred()
  const seen: string[] = []
  const consumer = await orderly(scene, { persistConsumerOffsetIntervalMs: 1000 })
  await consumer.start(async ([message]) => {
    seen.push(message!.text())
    await gate.promise
  })
  await until(() => seen.length === 1, 'the first one is out')
  scene.broker.script = ({ code }) => (code === RequestCode.LOCK_BATCH_MQ ? { code: 1, remark: 'scripted' } : undefined)
  for (let second = 0; second < 35; second++) {
    scene.clock.advance(1000)
    await settle(10)
  }
  gate.resolve()
  gate = deferred()
  for (let second = 0; second < 5; second++) {
    scene.clock.advance(1000)
    await settle(10)
  }
  assert.deepEqual(seen, ['1'])
  assert.equal(committed(scene), 0)
  scene.broker.script = () => undefined
  await advanceUntil(scene.clock, () => seen.length === 2, 'it goes on')
  assert.deepEqual(seen, ['1', '2'])
  await advanceUntil(scene.clock, () => committed(scene) === 1, 'the first one is committed')
  gate.resolve()
})

test('locks that stayed away for a minute are not trusted: the queue begins again at the stored offset', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 2)
  const gates = [deferred(), deferred(), deferred()]
  const seen: string[] = []
  const consumer = await orderly(scene)
  await consumer.start(async ([message]) => {
    seen.push(message!.text())
    await gates[seen.length - 1]!.promise
  })
  await until(() => seen.length === 1, 'the first one is out')
  scene.broker.script = ({ code }) => (code === RequestCode.LOCK_BATCH_MQ ? { code: 1, remark: 'scripted' } : undefined)
  for (let second = 0; second < 70; second++) {
    scene.clock.advance(1000)
    await settle(10)
  }
  scene.broker.script = () => undefined
  for (let second = 0; second < 30; second++) {
    scene.clock.advance(1000)
    await settle(10)
  }
  assert.deepEqual(seen, ['1'], 'the handler at work keeps its queue from being handled twice at once')
  for (const gate of gates) gate.resolve()
  await advanceUntil(scene.clock, () => seen.length === 3, 'all are handled')
  assert.deepEqual(seen, ['1', '1', '2'])
})

test('a queue that goes to a new member is unlocked when its handler is done, with its offset stored', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 3)
  const gate = deferred()
  const seen: string[] = []
  const first = await orderly(scene, { instanceName: 'b' })
  await first.start(async ([message]) => {
    seen.push(`first ${message!.text()}`)
    await gate.promise
  })
  await until(() => seen.length === 1, 'the first one is out')
  const second = await orderly(scene, { instanceName: 'a' })
  void second.start(([message]) => void seen.push(`second ${message!.text()}`))
  for (let tenth = 0; tenth < 50; tenth++) {
    scene.clock.advance(100)
    await settle(10)
  }
  assert.deepEqual(seen, ['first 1'])
  assert.equal(lockOf(scene), first.clientId)
  gate.resolve()
  await advanceUntil(scene.clock, () => seen.length === 3, 'the new member has the rest')
  assert.deepEqual(seen, ['first 1', 'second 2', 'second 3'])
  assert.equal(lockOf(scene), second.clientId)
})

test('a handler that works on for twenty seconds after a rebalance loses its queue', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 2)
  const gate = deferred()
  const seen: string[] = []
  const first = await orderly(scene, { instanceName: 'b' })
  let signal: AbortSignal | undefined
  await first.start(async ([message], context) => {
    seen.push(`first ${message!.text()}`)
    signal = context.signal
    await gate.promise
  })
  await until(() => seen.length === 1, 'the first one is out')
  const second = await orderly(scene, { instanceName: 'a' })
  void second.start(([message]) => void seen.push(`second ${message!.text()}`))
  await advanceUntil(scene.clock, () => seen.length === 3, 'the new member has all')
  assert.deepEqual(seen, ['first 1', 'second 1', 'second 2'])
  assert.equal(signal?.aborted, true)
  gate.resolve()
})

test('a reset while a handler works does not put a second one beside it', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 3)
  const gate = deferred()
  const seen: string[] = []
  const consumer = await orderly(scene)
  await consumer.start(async ([message]) => {
    seen.push(message!.text())
    if (seen.length === 1) await gate.promise
  })
  await until(() => seen.length === 1, 'the first one is out')
  const body = Buffer.from('{"offsetTable":{{"brokerName":"broker-a","queueId":0,"topic":"orders"}:2}}')
  const ext = { topic: 'orders', group: 'g', timestamp: '0', isForce: 'true' }
  const reset = requestCommand(RequestCode.RESET_CONSUMER_CLIENT_OFFSET, ext)
  scene.broker.tell(consumer.clientId!, Object.assign(reset, { body }))
  for (let tenth = 0; tenth < 20; tenth++) {
    scene.clock.advance(100)
    await settle(10)
  }
  assert.deepEqual(seen, ['1'])
  gate.resolve()
  await advanceUntil(scene.clock, () => seen.length === 2, 'it goes on')
  assert.deepEqual(seen, ['1', '3'])
})

test('a broadcasting consumer keeps the order without locks', async () => {
  await using scene = await ConsumerScene.start()
  put(scene, 3)
  const seen: string[] = []
  const consumer = await orderly(scene, {
    messageModel: 'BROADCASTING',
    instanceName: 'bc',
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
  })
  await consumer.start(([message]) => {
    seen.push(message!.text())
    if (seen.length === 2) throw new Error('once')
  })
  await advanceUntil(scene.clock, () => seen.length === 4, 'all are handled')
  assert.deepEqual(seen, ['1', '2', '2', '3'])
  assert.deepEqual(scene.broker.of(RequestCode.LOCK_BATCH_MQ), [])
})

test('tools see an orderly consumer: running info says so, and consuming directly answers in its words', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await orderly(scene)
  let outcome: HandlerOutcome
  await consumer.start((_, context) => {
    context.autoCommit = false
    return outcome
  })
  const ext = { consumerGroup: 'g', clientId: consumer.clientId!, msgId: 'x', brokerName: 'broker-a' }
  const info = await scene.broker.ask(consumer.clientId!, requestCommand(RequestCode.GET_CONSUMER_RUNNING_INFO, ext))
  assert.match(String(info.body), /"PROP_CONSUMEORDERLY":"true"/)
  const expected = [
    [undefined, 'CR_SUCCESS'],
    ['SUSPEND_CURRENT_QUEUE_A_MOMENT', 'CR_LATER'],
    ['COMMIT', 'CR_COMMIT'],
    ['ROLLBACK', 'CR_ROLLBACK'],
  ] as const
  for (const [said, consumeResult] of expected) {
    outcome = said
    const command = Object.assign(requestCommand(RequestCode.CONSUME_MESSAGE_DIRECTLY, ext), { body: record() })
    const answer = JSON.parse(String((await scene.broker.ask(consumer.clientId!, command)).body))
    assert.equal(answer.order, true)
    assert.equal(answer.autoCommit, false)
    assert.equal(answer.consumeResult, consumeResult)
  }
})

test('messages() of an orderly consumer is refused', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await orderly(scene)
  await assert.rejects(consumer.messages().next(), { code: 'INVALID_STATE' })
})
