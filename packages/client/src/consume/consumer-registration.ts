import type { MessageQueue, SubscriptionData } from '@rocketmq-ts/model'

/** How a consumer announces itself in heartbeats. The spellings are those of the wire. */
export type ConsumeType = 'CONSUME_PASSIVELY' | 'CONSUME_ACTIVELY'

/** Whether the members of a group share the messages, or each gets all of them. */
export type MessageModel = 'CLUSTERING' | 'BROADCASTING'

/** Where a group begins in a queue for which it has no stored offset. The spellings are those of the wire. */
export type ConsumeFromWhere = 'CONSUME_FROM_LAST_OFFSET' | 'CONSUME_FROM_FIRST_OFFSET' | 'CONSUME_FROM_TIMESTAMP'

/** A queue and an offset in it: what offset tables of bodies are made of. */
export type QueueOffset = readonly [queue: MessageQueue, offset: number]

/** Answer to CONSUME_MESSAGE_DIRECTLY. Field names are those of the wire. */
export interface ConsumeDirectlyResult {
  order: boolean
  autoCommit: boolean
  consumeResult: 'CR_SUCCESS' | 'CR_LATER' | 'CR_ROLLBACK' | 'CR_COMMIT' | 'CR_THROW_EXCEPTION' | 'CR_RETURN_NULL'
  remark?: string
  spentTimeMills: number
}

/** State of one held queue in GET_CONSUMER_RUNNING_INFO. Field names (typo included) are those of the wire. */
export interface ProcessQueueInfo {
  commitOffset: number
  cachedMsgMinOffset: number
  cachedMsgMaxOffset: number
  cachedMsgCount: number
  cachedMsgSizeInMiB: number
  transactionMsgMinOffset: number
  transactionMsgMaxOffset: number
  transactionMsgCount: number
  locked: boolean
  tryUnlockTimes: number
  lastLockTimestamp: number
  droped: boolean
  lastPullTimestamp: number
  lastConsumeTimestamp: number
}

/** Rates of one topic in GET_CONSUMER_RUNNING_INFO: messages a second, milliseconds, messages of the last hour. */
export interface ConsumeStatus {
  pullRT: number
  pullTPS: number
  consumeRT: number
  consumeOKTPS: number
  consumeFailedTPS: number
  consumeFailedMsgs: number
}

/** Answer to GET_CONSUMER_RUNNING_INFO before it is encoded. */
export interface RunningInfo {
  properties: Record<string, string>
  subscriptionSet: SubscriptionData[]
  mqTable: (readonly [MessageQueue, ProcessQueueInfo])[]
  statusTable: Record<string, ConsumeStatus>
  jstack?: string
}

/**
 * What the shared client instance needs from one consumer: facts for its heartbeats, and a hand for each request that a
 * broker sends to a group. No method throws, and none blocks.
 */
export interface ConsumerRegistration {
  /** As on the wire, namespace included. */
  readonly group: string
  readonly consumeType: ConsumeType
  readonly messageModel: MessageModel
  readonly consumeFromWhere: ConsumeFromWhere
  readonly unitMode: boolean
  /** Current subscriptions, topics as on the wire; `%RETRY%group` included where the consumer has it. */
  subscriptions(): SubscriptionData[]
  /** NOTIFY_CONSUMER_IDS_CHANGED (40), or a broker of a known route became reachable: rebalance soon. */
  onConsumerIdsChanged(): void
  /** RESET_CONSUMER_CLIENT_OFFSET (220). Returns at once; the reset goes on by itself. */
  resetOffsets(topic: string, offsets: readonly QueueOffset[]): void
  /** GET_CONSUMER_STATUS_FROM_CLIENT (221): offsets of the topic's held queues. */
  consumedOffsets(topic: string): QueueOffset[]
  /** GET_CONSUMER_RUNNING_INFO (307). */
  runningInfo(options: { withStacks: boolean }): RunningInfo
  /** CONSUME_MESSAGE_DIRECTLY (309): `record` is one message in the stored layout. Undefined when this consumer has no handler. */
  consumeDirectly(record: Buffer, brokerName: string): Promise<ConsumeDirectlyResult | undefined>
}
