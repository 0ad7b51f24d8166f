import { RocketMqError } from '@rocketmq-ts/runtime'
import { javaSplit } from './java-text.ts'

/** What a topic attribute may hold. */
export interface TopicAttribute {
  readonly name: string
  readonly changeable: boolean
  readonly defaultValue: string
  /** Undefined for a number. */
  readonly values?: readonly string[]
}

/** All topic attributes of 5.3. Source: TopicAttributes, 5.3.x. */
export const topicAttributes = {
  queueType: { name: 'queue.type', changeable: false, defaultValue: 'SimpleCQ', values: ['SimpleCQ', 'BatchCQ'] },
  cleanupPolicy: {
    name: 'cleanup.policy',
    changeable: false,
    defaultValue: 'DELETE',
    values: ['DELETE', 'COMPACTION'],
  },
  messageType: {
    name: 'message.type',
    changeable: true,
    defaultValue: 'NORMAL',
    // In the order of Java's hash set, which its broker prints when it refuses another value.
    values: ['UNSPECIFIED', 'TRANSACTION', 'FIFO', 'MIXED', 'DELAY', 'NORMAL'],
  },
  /** Hours; -1 for the broker's setting. */
  reserveTime: { name: 'reserve.time', changeable: true, defaultValue: '-1' },
} as const satisfies Record<string, TopicAttribute>

const attributesByName: ReadonlyMap<string, TopicAttribute> = new Map(
  Object.values(topicAttributes).map(attribute => [attribute.name, attribute]),
)

const INT64_MAX = 9223372036854775807n

function fail(message: string): never {
  throw new RocketMqError('INVALID_ARGUMENT', message)
}

/**
 * Reads `+name=value,-name`: name with its sign, to value (empty for a removal).
 * Throws INVALID_ARGUMENT. Source: AttributeParser#parseToMap, 5.3.x.
 */
export function parseAttributeChanges(text: string): Map<string, string> {
  const changes = new Map<string, string>()
  if (text === '') return changes
  for (const part of javaSplit(text, ',')) {
    let name = part
    let value = ''
    if (part.includes('=')) {
      const sides = javaSplit(part, '=')
      if (sides[0] === undefined || sides[1] === undefined) fail(`add/alter attribute format is wrong: ${part}`)
      name = sides[0]
      value = sides[1]
      if (!name.includes('+')) fail(`add/alter attribute format is wrong: ${name}`)
    } else if (!name.includes('-')) {
      fail(`delete attribute format is wrong: ${name}`)
    }
    if (changes.has(name)) fail(`key duplication: ${name}`)
    changes.set(name, value)
  }
  return changes
}

/** The text that {@link parseAttributeChanges} reads. Source: AttributeParser#parseToString, 5.3.x. */
export function formatAttributeChanges(changes: Iterable<readonly [string, string]>): string {
  const parts: string[] = []
  for (const [name, value] of changes) parts.push(value === '' ? name : `${name}=${value}`)
  return parts.join(',')
}

function verifyValue(attribute: TopicAttribute, value: string): void {
  if (attribute.values !== undefined) {
    if (!attribute.values.includes(value)) fail(`value is not in set: [${attribute.values.join(', ')}]`)
    return
  }
  if (!/^[+-]?\d{1,19}$/.test(value)) fail(`For input string: "${value}"`)
  const number = BigInt(value)
  if (number < -1n || number > INT64_MAX) fail(`value is not in range(-1, ${INT64_MAX})`)
}

/**
 * The attributes of a topic after `changes` (names with their sign). On creation everything must be added; later, only
 * changeable attributes may be. Throws INVALID_ARGUMENT. Source: AttributeUtil#alterCurrentAttributes, 5.3.x.
 */
export function alterAttributes(
  isCreation: boolean,
  current: Readonly<Record<string, string>>,
  changes: Iterable<readonly [string, string]>,
): Record<string, string> {
  const result: Record<string, string> = { ...current }
  const seen = new Set<string>()
  for (const [signed, value] of changes) {
    const name = signed.slice(1)
    if (name === '' || name.includes('+') || name.includes('-')) fail('kv string format wrong.')
    if (seen.has(name)) fail(`alter duplication key. key: ${name}`)
    seen.add(name)
    const isAddition = signed.startsWith('+')
    if (isCreation && !isAddition) fail(`only add attribute is supported while creating topic. key: ${name}`)
    if (!isAddition && !signed.startsWith('-')) fail(`wrong format key: ${name}`)
    if (!isAddition && !Object.hasOwn(current, name)) fail(`attempt to delete a nonexistent key: ${name}`)
    const attribute = attributesByName.get(name)
    if (attribute === undefined) fail(`unsupported key: ${name}`)
    if (!isCreation && !attribute.changeable) fail(`attempt to update an unchangeable attribute. key: ${name}`)
    if (isAddition) {
      verifyValue(attribute, value)
      result[name] = value
    } else {
      delete result[name]
    }
  }
  return result
}
