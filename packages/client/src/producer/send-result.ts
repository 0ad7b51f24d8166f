import type { MessageQueue } from '@rocketmq-ts/model'
import { decodeSendResponse, type RemotingCommand, ResponseCode } from '@rocketmq-ts/protocol'

/**
 * How far the broker got. All four mean that the message is stored; only SEND_OK that it is as safe as the broker's
 * settings ask for.
 */
export type SendStatus = 'SEND_OK' | 'FLUSH_DISK_TIMEOUT' | 'FLUSH_SLAVE_TIMEOUT' | 'SLAVE_NOT_AVAILABLE'

/** What `send` resolves to. */
export interface SendResult {
  readonly status: SendStatus
  /** The producer's id of the message (UNIQ_KEY); of a batch: the ids of its messages, joined by commas. */
  readonly messageId: string
  /** The id that names the place in the broker's log; of a batch: joined by commas. */
  readonly offsetMessageId: string
  readonly queue: MessageQueue
  /** Place in the queue; of a batch: of its first message. */
  readonly queueOffset: number
  readonly transactionId: string | undefined
  readonly regionId: string
  /** False when the broker doesn't want this message traced. */
  readonly traceOn: boolean
  /** For taking back a timer message, from brokers that offer it. */
  readonly recallHandle: string | undefined
}

/** The status that a response code means; undefined when it is an error. */
export function sendStatusOf(responseCode: number): SendStatus | undefined {
  switch (responseCode) {
    case ResponseCode.SUCCESS:
      return 'SEND_OK'
    case ResponseCode.FLUSH_DISK_TIMEOUT:
      return 'FLUSH_DISK_TIMEOUT'
    case ResponseCode.FLUSH_SLAVE_TIMEOUT:
      return 'FLUSH_SLAVE_TIMEOUT'
    case ResponseCode.SLAVE_NOT_AVAILABLE:
      return 'SLAVE_NOT_AVAILABLE'
    default:
      return undefined
  }
}

/**
 * Reads the answer to a send. Throws `HEADER_INVALID`.
 * Source: MQClientAPIImpl#processSendResponse, 5.3.x
 */
export function sendResultOf(
  status: SendStatus,
  response: RemotingCommand,
  messageId: string,
  queue: MessageQueue,
): SendResult {
  const header = decodeSendResponse(response)
  const { queueId } = header
  return {
    status,
    messageId: header.batchUniqId ?? messageId,
    offsetMessageId: header.msgId,
    queue: queueId === queue.queueId ? queue : { topic: queue.topic, brokerName: queue.brokerName, queueId },
    queueOffset: header.queueOffset,
    transactionId: header.transactionId,
    regionId: header.regionId ?? 'DefaultRegion',
    traceOn: header.traceOn,
    recallHandle: header.recallHandle,
  }
}
