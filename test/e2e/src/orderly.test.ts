/** Orderly consumption against our broker: members joining and leaving under load, failures, dead letters. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createProducer,
  createPullConsumer,
  createPushConsumer,
  type MessageHandler,
  type MessageQueue,
  type PushConsumer,
  type PushConsumerOptions,
} from '@rocketmq-ts/client'
import { startRocketMQ } from '@rocketmq-ts/embedded'

/** Looks every few milliseconds; what it waits for is an event of another party. */
async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never came true: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

/** What the group has committed, asked of the broker. */
async function committedOffset(nameServers: string, queue: MessageQueue): Promise<number> {
  await using reader = await createPullConsumer({ nameServers, group: 'ordered' })
  return (await reader.fetchConsumeOffset(queue)) ?? 0
}

const orderly = (nameServers: string, handler: MessageHandler, options: Partial<PushConsumerOptions> = {}) =>
  createPushConsumer({
    nameServers,
    group: 'ordered',
    subscriptions: { orders: '*' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    orderly: true,
    handler,
    ...options,
  })

test('members join and leave while messages come and handlers fail: the order of no queue is broken', async () => {
  await using rocketmq = await startRocketMQ()
  const { nameServers } = rocketmq
  await using producer = await createProducer({ nameServers, group: 'p' })
  await producer.send({ topic: 'orders', body: 'make the topic' })
  await using observer = await createPullConsumer({ nameServers, group: 'observer' })
  const queues = await observer.fetchMessageQueues('orders')
  const total = 400
  const done = new Map<number, number>()
  const broken: string[] = []
  let failures = 0
  const handler: MessageHandler = async ([message]) => {
    const { queueId, queueOffset } = message!
    const expected = done.get(queueId) ?? 0
    if (queueOffset > expected) broken.push(`queue ${queueId}: ${queueOffset} came when ${expected} was due`)
    if (queueOffset % 3 === 0) await new Promise(resolve => setImmediate(resolve))
    if (queueOffset % 50 === 49 && failures++ % 2 === 0) throw new Error('simulated')
    done.set(queueId, Math.max(done.get(queueId) ?? 0, queueOffset + 1))
  }
  const join = () => orderly(nameServers, handler, { suspendCurrentQueueTimeMs: 20 })
  const members: PushConsumer[] = [await join()]
  const doneCount = () => [...done.values()].reduce((sum, count) => sum + count, 0)
  const sending = Promise.all(
    queues.map(async queue => {
      for (let i = 0; i < total; i++) await producer.send({ topic: 'orders', body: `${i}` }, { queue })
    }),
  )
  members.push(await join())
  await until(() => doneCount() > total / 2, 'some are handled')
  members.push(await join())
  await members.shift()!.close()
  await until(() => doneCount() > total, 'more are handled')
  await members.shift()!.close()
  members.push(await join())
  await sending
  await until(() => doneCount() === total * queues.length + 1, 'all are handled')
  await Promise.all(members.map(member => member.close()))
  assert.deepEqual(broken, [])
  assert.ok(failures > 0)
})

test('a suspended message keeps its queue and the offset until it succeeds, also over a restart of the consumer', async () => {
  await using rocketmq = await startRocketMQ()
  const { nameServers } = rocketmq
  await using producer = await createProducer({ nameServers, group: 'p' })
  await producer.send({ topic: 'orders', body: 'make the topic' })
  await using observer = await createPullConsumer({ nameServers, group: 'observer' })
  const queue = (await observer.fetchMessageQueues('orders'))[3]!
  const start = await observer.maxOffset(queue)
  for (const body of ['1', '2', '3', '4', '5']) await producer.send({ topic: 'orders', body }, { queue })
  const seen: string[] = []
  const offsets: number[] = []
  let isSucceeding = false
  const handler: MessageHandler = async ([message]) => {
    if (message!.text().startsWith('make')) return
    seen.push(message!.text())
    if (message!.text() !== '2' || isSucceeding) return
    offsets.push(await committedOffset(nameServers, queue))
    return 'SUSPEND_CURRENT_QUEUE_A_MOMENT'
  }
  const options = { suspendCurrentQueueTimeMs: 20, persistConsumerOffsetIntervalMs: 100 }
  const first = await orderly(nameServers, handler, options)
  await until(() => offsets.length === 3, 'the second one fails three times')
  await first.close()
  assert.equal(await committedOffset(nameServers, queue), start + 1)
  isSucceeding = true
  await using second = await orderly(nameServers, handler, options)
  await until(() => seen.includes('5'), 'all are handled')
  await second.close()
  assert.deepEqual(
    seen.filter((text, i) => text !== '2' || seen[i - 1] !== '2'),
    ['1', '2', '3', '4', '5'],
  )
  assert.ok(
    offsets.every(offset => offset <= start + 1),
    `committed ${offsets}`,
  )
  assert.equal(await committedOffset(nameServers, queue), start + 5)
})

test('a message that keeps failing goes to the dead letters, and its queue goes on', async () => {
  await using rocketmq = await startRocketMQ()
  const { nameServers } = rocketmq
  await using producer = await createProducer({ nameServers, group: 'p' })
  const queue = (await producer.send({ topic: 'orders', body: '1' })).queue
  for (const body of ['bad', '3']) await producer.send({ topic: 'orders', body, keys: [body] }, { queue })
  const seen: string[] = []
  const handler: MessageHandler = ([message]) => {
    seen.push(message!.text())
    if (message!.text() === 'bad') throw new Error('simulated')
  }
  await using consumer = await orderly(nameServers, handler, { maxReconsumeTimes: 2, suspendCurrentQueueTimeMs: 20 })
  await until(() => seen.includes('3'), 'the queue goes on')
  assert.deepEqual(seen, ['1', 'bad', 'bad', 'bad', '3'])
  const dead: string[] = []
  await using undertaker = await createPushConsumer({
    nameServers,
    group: 'undertaker',
    subscriptions: { '%DLQ%ordered': '*' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    handler: ([message]) => void dead.push(`${message!.text()} ${message!.keys}`),
  })
  await until(() => dead.length === 1, 'the dead letter')
  assert.deepEqual(dead, ['bad bad'])
  await undertaker.close()
  await consumer.close()
})
