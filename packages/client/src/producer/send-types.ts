import type { Message, MessageQueue } from '@rocketmq-ts/model'
import type { SendResult } from './send-result.ts'

/** Settings of one send. */
export interface SendOptions {
  /** For the whole send, retries included. Default: the producer's `sendTimeoutMs`. */
  timeoutMs?: number
  /** Gives up; the message may have been stored all the same. */
  signal?: AbortSignal
  /** Sends to this queue, in one attempt. */
  queue?: MessageQueue
  /** Chooses the queue out of those of the topic; one attempt. */
  select?: (queues: readonly MessageQueue[], message: Message) => MessageQueue | undefined
}

/** What `sendBatch` resolves to. */
export interface BatchSendResult extends SendResult {
  /** Ids of the messages, in the order given. */
  readonly messageIds: readonly string[]
  /** Places of the messages in the broker's log, in the order given; one for all on topics that keep batches whole. */
  readonly offsetMessageIds: readonly string[]
}

/** A message whose properties are taken as they are: for what RocketMQ itself sends on behalf of the user. */
export interface RawMessage {
  readonly topic: string
  readonly body: Buffer
  readonly properties: ReadonlyMap<string, string>
  readonly flag: number
  /** Beside the compression bits. */
  readonly sysFlag?: number
  /** Default SEND_MESSAGE_V2. */
  readonly requestCode?: number
}
