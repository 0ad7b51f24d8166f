/** Receives messages through a handler, until ten have come. */
import { createPushConsumer } from '@rocketmq-ts/client'

let left = 10
let finish: () => void = () => {}
const finished = new Promise<void>(resolve => {
  finish = resolve
})

await using consumer = await createPushConsumer({
  group: 'example-billing',
  subscriptions: { ExampleOrders: '*' }, // or tags: 'created || paid'
  consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
  concurrency: 5,
})

await consumer.start(async ([message], context) => {
  if (message === undefined) return
  console.log(message.topic, message.queueId, message.queueOffset, message.tags ?? '-', message.text())
  if (message.reconsumeTimes > 3) {
    // Not again: to the dead letters of the group.
    context.delayLevelWhenNextConsume = -1
    throw new Error('given up')
  }
  if (--left === 0) finish()
  // Returning is success; throwing, or returning 'RECONSUME_LATER', is again later.
})

await finished
