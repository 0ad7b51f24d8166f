/** Reads each queue of a topic from the group's offset to its end; pace and offsets are the program's own. */
import { createPullConsumer } from '@rocketmq-ts/client'

await using consumer = await createPullConsumer({ group: 'example-audit' })

for (const queue of await consumer.fetchMessageQueues('ExampleOrders')) {
  let offset = (await consumer.fetchConsumeOffset(queue)) ?? (await consumer.minOffset(queue))
  for (;;) {
    const { status, messages, nextBeginOffset } = await consumer.pull(queue, { offset, maxCount: 32 })
    for (const message of messages) console.log(queue.queueId, message.queueOffset, message.text())
    offset = nextBeginOffset
    if (status === 'NO_NEW_MSG') break
  }
  consumer.updateConsumeOffset(queue, offset)
}
