/** Receives the messages of each queue strictly in order, until ten have come; one that fails holds its queue. */
import { createPushConsumer } from '@rocketmq-ts/client'

let left = 10
let finish: () => void = () => {}
const finished = new Promise<void>(resolve => {
  finish = resolve
})

await using consumer = await createPushConsumer({
  group: 'example-ledger',
  subscriptions: { ExampleOrders: '*' },
  consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
  orderly: true,
  maxReconsumeTimes: 5, // then to the dead letters; without it a message that fails holds its queue for ever
})

await consumer.start(async ([message], context) => {
  if (message === undefined) return
  console.log(message.queueId, message.queueOffset, message.reconsumeTimes, message.text())
  if (message.body.length === 0) {
    context.suspendCurrentQueueTimeMs = 200
    return 'SUSPEND_CURRENT_QUEUE_A_MOMENT' // the same message again in 200 ms; those behind it wait. As does a throw.
  }
  if (--left === 0) finish()
})

await finished
