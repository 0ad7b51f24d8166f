/** Asks for messages when there is time for them: ten with polls, then ten with a loop. */
import { createLitePullConsumer } from '@rocketmq-ts/client'

await using consumer = await createLitePullConsumer({
  group: 'example-reports',
  subscriptions: { ExampleOrders: '*' },
  consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
})

let left = 10
while (left > 0) {
  // Who polls again is done with what it got before; that is then committed.
  const messages = await consumer.poll({ maxCount: left, timeoutMs: 1000 })
  for (const message of messages) console.log('polled', message.queueId, message.queueOffset, message.text())
  left -= messages.length
}

left = 10
for await (const message of consumer.messages()) {
  console.log('looped', message.queueId, message.queueOffset, message.text())
  if (--left === 0) break
}
await consumer.commit()
