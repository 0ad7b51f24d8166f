import { RocketMqError } from '@rocketmq-ts/runtime'
import { isRetryTopic } from './names.ts'
import { isPopRetryTopicV2, POP_ORDER_REVIVE_QUEUE, popRetryTopicV1, popRetryTopicV2 } from './pop-names.ts'

/** Which topic a popped message came from: the topic itself, or the group's retry topic of version 1 or 2. */
export type RetryMark = '0' | '1' | '2'

export function retryMarkOf(topic: string): RetryMark {
  return isPopRetryTopicV2(topic) ? '2' : isRetryTopic(topic) ? '1' : '0'
}

/** The topic that a mark stands for. */
export function topicOfMark(topic: string, group: string, mark: RetryMark): string {
  return mark === '2' ? popRetryTopicV2(topic, group) : mark === '1' ? popRetryTopicV1(topic, group) : topic
}

/** What acknowledges a popped message (property POP_CK, request field `extraInfo`). Source: ExtraInfoUtil, 5.3.x. */
export interface PopReceipt {
  /** Queue offset of the first message of the pop. */
  readonly startOffset: number
  /** ms since 1970. */
  readonly popTime: number
  /** ms */
  readonly invisibleTime: number
  readonly reviveQueueId: number
  readonly retryMark: RetryMark
  readonly brokerName: string
  readonly queueId: number
  /** Of the message; -1 where the text has seven parts only. */
  readonly queueOffset: number
}

/** The parts joined by spaces; a queue offset below 0 is left out. */
export function encodePopReceipt(receipt: PopReceipt): string {
  const { startOffset, popTime, invisibleTime, reviveQueueId, retryMark, brokerName, queueId, queueOffset } = receipt
  const text = `${startOffset} ${popTime} ${invisibleTime} ${reviveQueueId} ${retryMark} ${brokerName} ${queueId}`
  return queueOffset < 0 ? text : `${text} ${queueOffset}`
}

/** Throws INVALID_ARGUMENT when the text is no receipt. */
export function decodePopReceipt(text: string): PopReceipt {
  const parts = text.split(' ')
  const mark = parts[4]
  if (parts.length < 7 || (mark !== '0' && mark !== '1' && mark !== '2')) throw invalid('receipt', text)
  return {
    startOffset: integer(parts[0], text),
    popTime: integer(parts[1], text),
    invisibleTime: integer(parts[2], text),
    reviveQueueId: integer(parts[3], text),
    retryMark: mark,
    brokerName: parts[5]!,
    queueId: integer(parts[6], text),
    queueOffset: parts.length > 7 ? integer(parts[7], text) : -1,
  }
}

/** True for a receipt of orderly consumption, which has no revive queue. */
export function isOrderReceipt(receipt: PopReceipt): boolean {
  return receipt.reviveQueueId === POP_ORDER_REVIVE_QUEUE
}

function invalid(what: string, text: string): RocketMqError {
  return new RocketMqError('INVALID_ARGUMENT', `Not a POP ${what}: ${JSON.stringify(text.slice(0, 200))}.`)
}

function integer(text: string | undefined, whole: string): number {
  if (text === undefined || !/^-?\d{1,19}$/.test(text)) throw invalid('number', whole)
  return Number(text)
}

/**
 * One entry of `startOffsetInfo`, `msgOffsetInfo` or `orderCountInfo` in a POP answer; entries are joined by `;`.
 * `key` is a queue id, or `qo<queueId>%<queueOffset>` for the count of a single message.
 */
export function popInfoEntry(mark: RetryMark, key: number | string, value: number | readonly number[]): string {
  return `${mark} ${key} ${typeof value === 'number' ? value : value.join(',')}`
}

/** Key of a single message in `orderCountInfo`. */
export function queueOffsetKey(queueId: number, queueOffset: number): string {
  return `qo${queueId}%${queueOffset}`
}

/** Reads such a list: `mark@key` to its numbers. Throws INVALID_ARGUMENT, also for a key that occurs twice. */
export function parsePopInfo(text: string | undefined): Map<string, number[]> {
  const result = new Map<string, number[]>()
  if (text === undefined || text === '') return result
  for (const entry of text.split(';')) {
    if (entry === '') continue
    const [mark, key, values, more] = entry.split(' ')
    const mapKey = `${mark}@${key}`
    if (values === undefined || more !== undefined || result.has(mapKey)) throw invalid('offset list', text)
    result.set(
      mapKey,
      values.split(',').map(value => integer(value, text)),
    )
  }
  return result
}
