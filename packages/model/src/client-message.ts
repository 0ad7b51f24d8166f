import { RocketMqError } from '@rocketmq-ts/runtime'
import { isReservedProperty, keySeparator, propertyNames } from './property-names.ts'

/** A message to be sent. */
export interface Message {
  readonly topic: string
  /** A string is sent as UTF-8. */
  readonly body: Uint8Array | string
  /** One tag, by which consumers select. */
  readonly tags?: string
  /** Keys by which the message can be looked up; must not hold spaces. */
  readonly keys?: string | readonly string[]
  /** Messages of one sharding key keep their order where the sender selects the queue by it. */
  readonly shardingKey?: string
  /** The user's own; names that RocketMQ uses itself are refused. */
  readonly properties?: Readonly<Record<string, string>>
  /** Any int32; RocketMQ doesn't look at it. Default 0. */
  readonly flag?: number
  /** Answer only once the message is stored (Java's WAIT). Default true. */
  readonly waitStoreOk?: boolean
  /** Deliver after the delay of this level, 1 and up. */
  readonly delayLevel?: number
  /** Deliver after so many ms (RocketMQ 5 timer). */
  readonly delayMs?: number
  /** Deliver at this moment, ms since 1970 (RocketMQ 5 timer). */
  readonly deliverAtMs?: number
  /** Instead of an id made by the producer. */
  readonly uniqueKey?: string
}

/** The body as bytes; a string becomes UTF-8, bytes are not copied. */
export function messageBody(message: Message): Buffer {
  const { body } = message
  if (typeof body === 'string') return Buffer.from(body, 'utf8')
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.length)
}

/**
 * The properties that a message is sent with, without those that the producer adds (UNIQ_KEY unless given, PGROUP …).
 * Throws INVALID_ARGUMENT for a user property with a reserved name or no text, for keys with spaces, and when more than
 * one delay is given.
 */
export function messageProperties(message: Message): Map<string, string> {
  const properties = new Map<string, string>()
  for (const [name, value] of Object.entries(message.properties ?? {})) {
    assertUserProperty(name, value)
    properties.set(name, value)
  }
  if (message.tags !== undefined && message.tags !== '') properties.set(propertyNames.tags, message.tags)
  const keys = keysText(message.keys)
  if (keys !== '') properties.set(propertyNames.keys, keys)
  if (message.shardingKey !== undefined) properties.set(propertyNames.shardingKey, message.shardingKey)
  properties.set(propertyNames.waitStoreMsgOk, String(message.waitStoreOk ?? true))
  setDelay(message, properties)
  if (message.uniqueKey !== undefined) properties.set(propertyNames.uniqueKey, message.uniqueKey)
  return properties
}

function assertUserProperty(name: string, value: unknown): void {
  if (isReservedProperty(name)) {
    throw new RocketMqError('INVALID_ARGUMENT', `Property ${JSON.stringify(name)} is used by RocketMQ; choose another.`)
  }
  if (name.trim() === '' || typeof value !== 'string' || value === '') {
    throw new RocketMqError('INVALID_ARGUMENT', `Property ${JSON.stringify(name)} needs a name and a text.`)
  }
}

function keysText(keys: string | readonly string[] | undefined): string {
  if (keys === undefined) return ''
  if (typeof keys === 'string') return keys
  for (const key of keys) {
    if (key === '' || key.includes(keySeparator)) {
      throw new RocketMqError('INVALID_ARGUMENT', `Key ${JSON.stringify(key)} is empty or holds a space.`)
    }
  }
  return keys.join(keySeparator)
}

function setDelay(message: Message, properties: Map<string, string>): void {
  const { delayLevel, delayMs, deliverAtMs } = message
  let given = 0
  for (const [name, value] of [
    [propertyNames.delayTimeLevel, delayLevel],
    [propertyNames.timerDelayMs, delayMs],
    [propertyNames.timerDeliverMs, deliverAtMs],
  ] as const) {
    if (value === undefined) continue
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new RocketMqError('INVALID_ARGUMENT', `Delay ${value} is not a whole number of 0 or more.`)
    }
    given++
    properties.set(name, String(value))
  }
  if (given > 1) {
    throw new RocketMqError('INVALID_ARGUMENT', 'Give only one of delayLevel, delayMs and deliverAtMs.')
  }
}
