import type { MessageQueue } from '@rocketmq-ts/model'
import { getMaxOffset, getMinOffset, searchOffsetByTimestamp } from '@rocketmq-ts/protocol'
import type { ClientInstance } from '../client-instance.ts'

/** Time-out of questions about a queue's offsets. Source: MQAdminImpl#timeoutMillis, 5.3.x */
const timeoutMs = 6000

/** The offset that the queue's next message will get. Rejects with transport codes, `BROKER_NOT_FOUND`, `RESPONSE_ERROR`. */
export async function queueMaxOffset(instance: ClientInstance, queue: MessageQueue): Promise<number> {
  const { topic, queueId, brokerName } = queue
  const address = await instance.masterOf(queue)
  const answer = await instance.rpc.call(getMaxOffset, address, { topic, queueId, bname: brokerName }, { timeoutMs })
  return answer.header.offset
}

/** The offset of the queue's oldest message. Rejects as {@link queueMaxOffset}. */
export async function queueMinOffset(instance: ClientInstance, queue: MessageQueue): Promise<number> {
  const { topic, queueId, brokerName } = queue
  const address = await instance.masterOf(queue)
  const answer = await instance.rpc.call(getMinOffset, address, { topic, queueId, bname: brokerName }, { timeoutMs })
  return answer.header.offset
}

/**
 * The offset of the first message stored at or after `timestampMs`; the max offset when there is none. With 'UPPER' the
 * last message at or before it. Rejects as {@link queueMaxOffset}.
 */
export async function queueOffsetByTime(
  instance: ClientInstance,
  queue: MessageQueue,
  timestampMs: number,
  boundaryType: 'LOWER' | 'UPPER' = 'LOWER',
): Promise<number> {
  const { topic, queueId, brokerName } = queue
  const address = await instance.masterOf(queue)
  const header = { topic, queueId, timestamp: timestampMs, boundaryType, bname: brokerName }
  const answer = await instance.rpc.call(searchOffsetByTimestamp, address, header, { timeoutMs })
  return answer.header.offset
}
