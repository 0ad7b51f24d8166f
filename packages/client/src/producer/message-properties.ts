import { isReservedProperty, type Message, messageProperties, propertyNames } from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'

const nameEnd = '\u0001'
const entryEnd = '\u0002'
const tagsStart = propertyNames.tags + nameEnd
const keysStart = propertyNames.keys + nameEnd
const uniqueKeyStart = propertyNames.uniqueKey + nameEnd
const waitTrue = `${propertyNames.waitStoreMsgOk + nameEnd}true${entryEnd}`

/**
 * Properties text of a message: the user's, then RocketMQ's own, `uniqueKey` and WAIT last. Budget: the text itself; no map.
 * Equal to what `messageProperties` of the model gives, which is also where unusual fields go.
 * Throws `INVALID_ARGUMENT` naming the property.
 */
export function propertiesTextOf(message: Message, uniqueKey: string): string {
  if (isUnusual(message)) return generalText(message, uniqueKey)
  let text = ''
  const { properties, keys, tags } = message
  if (properties !== undefined) {
    for (const name of Object.keys(properties)) text += userProperty(name, properties[name])
  }
  if (keys !== undefined) text += keysProperty(keys)
  if (tags !== undefined && tags !== '') text += tagsStart + plain('tags', tags) + entryEnd
  return text + uniqueKeyStart + uniqueKey + entryEnd + waitTrue
}

function isUnusual(message: Message): boolean {
  return (
    message.delayLevel !== undefined ||
    message.delayMs !== undefined ||
    message.deliverAtMs !== undefined ||
    message.shardingKey !== undefined ||
    message.uniqueKey !== undefined ||
    message.waitStoreOk === false
  )
}

function generalText(message: Message, uniqueKey: string): string {
  const properties = messageProperties(message)
  properties.set(propertyNames.uniqueKey, message.uniqueKey ?? uniqueKey)
  return textOfProperties(properties)
}

/**
 * Text of properties that are taken as they are, reserved names included.
 * Throws `INVALID_ARGUMENT` for a name or value that holds a separator.
 */
export function textOfProperties(properties: Iterable<readonly [string, string]>): string {
  let text = ''
  for (const [name, value] of properties) text += plain(name, name) + nameEnd + plain(name, value) + entryEnd
  return text
}

function userProperty(name: string, value: unknown): string {
  if (isReservedProperty(name)) {
    throw new RocketMqError(
      'INVALID_ARGUMENT',
      `property ${JSON.stringify(name)} is used by RocketMQ; choose another name`,
    )
  }
  if (typeof value !== 'string' || value.length === 0 || name.trim().length === 0 || value.trim().length === 0) {
    throw new RocketMqError(
      'INVALID_ARGUMENT',
      `property ${JSON.stringify(name)} needs a name and a text that isn't blank`,
    )
  }
  return plain(name, name) + nameEnd + plain(name, value) + entryEnd
}

function keysProperty(keys: string | readonly string[]): string {
  if (typeof keys === 'string') return keys === '' ? '' : keysStart + plain('keys', keys) + entryEnd
  if (keys.length === 0) return ''
  for (const key of keys) {
    if (typeof key !== 'string' || key === '' || key.includes(' ')) {
      throw new RocketMqError('INVALID_ARGUMENT', `key ${JSON.stringify(key)} is no text, empty, or holds a space`)
    }
  }
  return keysStart + plain('keys', keys.join(' ')) + entryEnd
}

/** `value` itself. Property text has no escapes, so a separator inside would change the properties that follow. */
function plain(name: string, value: unknown): string {
  if (typeof value !== 'string')
    throw new RocketMqError('INVALID_ARGUMENT', `${name} must be a text, not ${typeof value}`)
  if (value.includes(nameEnd) || value.includes(entryEnd)) {
    throw new RocketMqError(
      'INVALID_ARGUMENT',
      `property ${JSON.stringify(name)} holds a control character (1 or 2) that separates properties`,
    )
  }
  return value
}
