/** Receives messages with a loop. What is not acknowledged holds the pulls back, so the loop sets the pace. */
import { createPushConsumer } from '@rocketmq-ts/client'

const stop = AbortSignal.timeout(5_000)

await using consumer = await createPushConsumer({
  group: 'example-shipping',
  subscriptions: { ExampleOrders: '*' },
  consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
})

for await (const message of consumer.messages({ signal: stop })) {
  try {
    console.log(message.messageId, message.text())
    message.ack()
  } catch {
    message.retry({ delayLevel: 3 })
  }
}
