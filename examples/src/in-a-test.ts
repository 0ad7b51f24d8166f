/** A real broker inside a test, gone with it. Run by `node --test`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProducer, createPushConsumer } from '@rocketmq-ts/client'
import { startRocketMQ } from '@rocketmq-ts/embedded'

test('an order is announced', async () => {
  await using rocketmq = await startRocketMQ()
  const { nameServers } = rocketmq
  await using producer = await createProducer({ nameServers, group: 'shop' })
  await using consumer = await createPushConsumer({ nameServers, group: 'mail', subscriptions: { Announcements: '*' } })

  await producer.send({ topic: 'Announcements', body: 'order 17' })

  for await (const message of consumer.messages({ autoAck: true })) {
    assert.equal(message.text(), 'order 17')
    break
  }
})
