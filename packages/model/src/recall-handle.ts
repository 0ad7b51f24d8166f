import { RocketMqError } from '@rocketmq-ts/runtime'

/** What a producer needs to take back a message that waits for its time. */
export interface RecallHandle {
  readonly topic: string
  readonly brokerName: string
  /** Deliver time, ms since 1970, as the broker wrote it. */
  readonly timestampText: string
  /** UNIQ_KEY of the message. */
  readonly messageId: string
}

/** URL-safe base64 with padding of `v1 topic broker time id`. Source: RecallMessageHandle, 5.3.x. */
export function encodeRecallHandle(handle: RecallHandle): string {
  const text = ['v1', handle.topic, handle.brokerName, handle.timestampText, handle.messageId].join(' ')
  return Buffer.from(text, 'utf8').toString('base64').replaceAll('+', '-').replaceAll('/', '_')
}

/** Throws INVALID_ARGUMENT when the text is no handle of a known version. */
export function decodeRecallHandle(handle: string): RecallHandle {
  const isBase64 = /^[A-Za-z0-9_-]+={0,2}$/.test(handle) && handle.replace(/=+$/, '').length % 4 !== 1
  const items = isBase64 ? Buffer.from(handle, 'base64url').toString('utf8').split(' ') : []
  const [version, topic, brokerName, timestampText, messageId] = items
  if (
    version !== 'v1' ||
    topic === undefined ||
    brokerName === undefined ||
    timestampText === undefined ||
    messageId === undefined
  ) {
    throw new RocketMqError('INVALID_ARGUMENT', 'recall handle is invalid')
  }
  return { topic, brokerName, timestampText, messageId }
}
