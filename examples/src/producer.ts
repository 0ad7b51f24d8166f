/** Sends messages: one, with a tag and keys; a pair that stays in order; a batch; one that nobody waits for. */
import { createProducer, RocketMqError } from '@rocketmq-ts/client'

// The name servers come from NAMESRV_ADDR; or give `nameServers: '127.0.0.1:9876'`.
await using producer = await createProducer({ group: 'example-orders' })

const result = await producer.send({ topic: 'ExampleOrders', body: 'order 17', tags: 'created', keys: ['order-17'] })
console.log(result.status, result.messageId, `queue ${result.queue.queueId}, offset ${result.queueOffset}`)

// Messages of one sharding key go to one queue; sent one after the other they stay in order.
await producer.send({ topic: 'ExampleOrders', body: 'order 18', shardingKey: 'customer-9' })
await producer.send({ topic: 'ExampleOrders', body: 'order 18 paid', shardingKey: 'customer-9' })

const batch = await producer.sendBatch([
  { topic: 'ExampleOrders', body: 'order 19' },
  { topic: 'ExampleOrders', body: 'order 20' },
])
console.log(`a batch of ${batch.messageIds.length}`)

await producer.sendOneway({ topic: 'ExampleOrders', body: 'order 21' })

// Calls need not wait for one another: they are pipelined over one connection per broker.
await Promise.all([22, 23, 24].map(number => producer.send({ topic: 'ExampleOrders', body: `order ${number}` })))

try {
  await producer.send({ topic: 'ExampleOrders', body: 'too late' }, { timeoutMs: 500, signal: AbortSignal.abort() })
} catch (error) {
  if (RocketMqError.is(error)) console.log(error.code, 'retryable:', error.retryable)
  else throw error
}
