import { readInt32, recordLayout, withoutNamespace } from '@rocketmq-ts/model/internal'
import { PulledBatch } from './pulled-batch.ts'
import { ReceivedMessage } from './received-message.ts'

/**
 * Views of records that come from anywhere, each with the queue it says itself; unlike those of a pull, which share one.
 * `body` must not be changed afterwards. Throws `BODY_INVALID`.
 */
export function messagesOfRecords(body: Buffer, brokerName: string, namespace: string): ReceivedMessage[] {
  const common = { namespace, minOffset: -1, maxOffset: -1, offsetDelta: 0 }
  const all = PulledBatch.decode({ ...common, topic: '', queue: { topic: '', brokerName, queueId: 0 } }, body)
  return all.starts.map((start, index) => {
    const { storedTopic } = new ReceivedMessage(all, index)
    const record = all.body.subarray(start, all.starts[index + 1])
    const queue = { topic: storedTopic, brokerName, queueId: readInt32(record, recordLayout.queueId) }
    const topic = namespace === '' ? storedTopic : withoutNamespace(storedTopic, namespace)
    return new ReceivedMessage(PulledBatch.decode({ ...common, topic, queue }, record), 0)
  })
}
