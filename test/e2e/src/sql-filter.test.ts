/** SQL92 subscriptions of our consumers at our broker, over real sockets and files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProducer, createPushConsumer } from '@rocketmq-ts/client'
import { startRocketMQ } from '@rocketmq-ts/embedded'
import { RocketMqError } from '@rocketmq-ts/runtime'

/** Looks every few milliseconds; what it waits for is an event of another party. */
async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never came true: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

const withFilter = { brokerConfig: { enablePropertyFilter: true } }

async function sendAmounts(nameServers: string, from: number, to: number): Promise<void> {
  await using producer = await createProducer({ nameServers, group: 'e2e-producer' })
  const amounts = Array.from({ length: to - from }, (_, i) => from + i)
  await Promise.all(
    amounts.map(amount =>
      producer.send({
        topic: 'orders',
        body: String(amount),
        properties: { amount: String(amount), region: amount % 2 === 0 ? 'eu' : 'us' },
      }),
    ),
  )
}

test('a push consumer gets what its SQL92 expression selects, of the backlog and as it comes', async () => {
  await using rocketmq = await startRocketMQ(withFilter)
  await sendAmounts(rocketmq.nameServers, 0, 100)
  const got = new Set<number>()
  await using consumer = await createPushConsumer({
    nameServers: rocketmq.nameServers,
    group: 'billing',
    subscriptions: { orders: { type: 'SQL92', expression: "amount >= 90 AND region = 'eu'" } },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    handler: messages => {
      for (const message of messages) got.add(Number(message.text()))
    },
  })
  await until(() => got.size === 5, 'the backlog')
  assert.deepEqual([...got].sort(), [90, 92, 94, 96, 98])
  await sendAmounts(rocketmq.nameServers, 0, 90)
  const sentAt = performance.now()
  await sendAmounts(rocketmq.nameServers, 100, 102)
  await until(() => got.size === 6, 'the one that comes later')
  assert.ok(performance.now() - sentAt < 4000, 'the waiting pull was woken, not timed out')
  assert.ok(got.has(100))
  consumer.subscribe('orders', { type: 'SQL92', expression: 'amount > 1000' })
  await sendAmounts(rocketmq.nameServers, 2000, 2001)
  await until(() => got.has(2000), 'the new expression holds')
})

test('a wrong expression is refused at the start, with what is wrong with it', async () => {
  await using rocketmq = await startRocketMQ(withFilter)
  await sendAmounts(rocketmq.nameServers, 0, 1)
  const options = {
    nameServers: rocketmq.nameServers,
    group: 'billing',
    subscriptions: { orders: { type: 'SQL92', expression: "amount > 'many'" } as const },
    handler: () => {},
  }
  await assert.rejects(createPushConsumer(options), (error: unknown) => {
    assert.ok(RocketMqError.is(error) && error.code === 'INVALID_ARGUMENT')
    assert.match(error.message, /'many' can not be compared/)
    return true
  })
})
