import { recordLayout, withoutNamespace } from '@rocketmq-ts/model'
import { decodeMessages } from './decode-messages.ts'
import { PulledBatch, ReceivedMessage } from './received-message.ts'

/**
 * Views of records that come from anywhere, each with the queue it says itself; unlike those of a pull, which share one.
 * `body` must not be changed afterwards. Throws `BODY_INVALID`.
 */
export function messagesOfRecords(body: Buffer, brokerName: string, namespace: string): ReceivedMessage[] {
  const messages: ReceivedMessage[] = []
  for (let at = 0; at < body.length; ) {
    const size = body.length - at >= recordLayout.flag ? body.readInt32BE(at) : 0
    const record =
      size > recordLayout.flag && size <= body.length - at ? body.subarray(at, at + size) : body.subarray(at)
    const queueId = record.length >= recordLayout.flag ? record.readInt32BE(recordLayout.queueId) : 0
    const places = { namespace, bytes: record.length, minOffset: -1, maxOffset: -1 }
    const nameless = new PulledBatch({ topic: '', brokerName, queueId }, { ...places, topic: '' })
    const storedTopic = decodeMessages(record, nameless, ReceivedMessage)[0]?.storedTopic ?? ''
    const topic = namespace === '' ? storedTopic : withoutNamespace(storedTopic, namespace)
    const batch = new PulledBatch({ topic: storedTopic, brokerName, queueId }, { ...places, topic })
    messages.push(...decodeMessages(record, batch, ReceivedMessage))
    at += record.length
  }
  return messages
}
