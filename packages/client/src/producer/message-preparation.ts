import {
  encodeBatch,
  isRetryTopic,
  type Message,
  messageBody,
  PROPERTIES_LIMIT_BYTES,
  propertyNames,
} from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { propertiesTextOf, textOfProperties } from './message-properties.ts'

/** Shorter texts than this stay below the limit in any case: a character takes at most 3 bytes. */
const surelySmallLength = Math.floor(PROPERTIES_LIMIT_BYTES / 3)

/** The body of a message as bytes. Throws `INVALID_ARGUMENT` when absent, empty or of a wrong type, `MESSAGE_TOO_LARGE`. */
export function checkedBody(message: Message, maxBytes: number): Buffer {
  const { body } = message
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new RocketMqError('INVALID_ARGUMENT', `the message's body must be a text or bytes, not ${typeof body}`)
  }
  const bytes = messageBody(message)
  if (bytes.length === 0) throw new RocketMqError('INVALID_ARGUMENT', 'the message body length is zero')
  if (bytes.length > maxBytes) throw bodyTooLarge(bytes.length, maxBytes)
  return bytes
}

/** Throws `INVALID_ARGUMENT` for what is no message at all. */
export function checkMessage(message: Message): void {
  if (typeof message !== 'object' || message === null) {
    throw new RocketMqError('INVALID_ARGUMENT', 'a message must be an object { topic, body, … }')
  }
  const { flag } = message
  if (flag !== undefined && (flag | 0) !== flag) {
    throw new RocketMqError('INVALID_ARGUMENT', `flag must be a 32-bit integer, not ${flag}`)
  }
}

/** Throws `MESSAGE_TOO_LARGE` when the properties take more than 32767 bytes. */
export function checkPropertiesSize(text: string): string {
  if (text.length > surelySmallLength) {
    const bytes = Buffer.byteLength(text)
    if (bytes > PROPERTIES_LIMIT_BYTES) {
      throw new RocketMqError(
        'MESSAGE_TOO_LARGE',
        `the properties take ${bytes} bytes, more than ${PROPERTIES_LIMIT_BYTES}`,
      )
    }
  }
  return text
}

/** A batch, ready to be sent. */
export interface PreparedBatch {
  readonly body: Buffer
  /** Ids of the messages, in order. */
  readonly messageIds: string[]
  /** Properties of the batch itself. */
  readonly properties: string
}

/**
 * Encodes messages of one topic into one body, each with an id of its own.
 * Throws `INVALID_ARGUMENT` when they may not be sent together, `MESSAGE_TOO_LARGE`.
 * Source: MessageBatch#generateFromList, 5.3.x
 */
export function prepareBatch(
  messages: readonly Message[],
  nextId: () => string,
  maxBytes: number,
  moreProperties: string,
): PreparedBatch {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new RocketMqError('INVALID_ARGUMENT', 'a batch needs at least one message')
  }
  const first = messages[0]!
  checkMessage(first)
  const waits = first.waitStoreOk !== false
  const messageIds: string[] = []
  const entries = messages.map(message => {
    checkBatchMember(message, first, waits)
    const id = message.uniqueKey ?? nextId()
    messageIds.push(id)
    const propertiesText = checkPropertiesSize(propertiesTextOf(message, id) + moreProperties)
    return { flag: message.flag ?? 0, body: checkedBody(message, maxBytes), propertiesText }
  })
  const body = encodeBatch(entries)
  if (body.length > maxBytes) throw bodyTooLarge(body.length, maxBytes)
  const properties = textOfProperties([
    [propertyNames.uniqueKey, nextId()],
    [propertyNames.waitStoreMsgOk, String(waits)],
  ])
  return { body, messageIds, properties: properties + moreProperties }
}

function checkBatchMember(message: Message, first: Message, waits: boolean): void {
  checkMessage(message)
  if (message.topic !== first.topic) {
    throw new RocketMqError('INVALID_ARGUMENT', 'The topic of the messages in one batch should be the same')
  }
  if ((message.waitStoreOk !== false) !== waits) {
    throw new RocketMqError('INVALID_ARGUMENT', 'The waitStoreOk of the messages in one batch should be the same')
  }
  if ((message.delayLevel ?? 0) > 0 || message.delayMs !== undefined || message.deliverAtMs !== undefined) {
    throw new RocketMqError('INVALID_ARGUMENT', 'Delays are not supported for batching')
  }
  if (isRetryTopic(message.topic)) {
    throw new RocketMqError('INVALID_ARGUMENT', 'Retry Group is not supported for batching')
  }
}

function bodyTooLarge(bytes: number, maxBytes: number): RocketMqError {
  return new RocketMqError(
    'MESSAGE_TOO_LARGE',
    `the message body size over max value: ${bytes} bytes, MAX: ${maxBytes}`,
    {
      details: { bytes, maxBytes },
    },
  )
}
