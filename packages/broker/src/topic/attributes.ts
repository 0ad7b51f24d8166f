import { RocketMqError } from '@rocketmq-ts/runtime'

/** What a topic or group attribute may be. */
export interface AttributeDefinition {
  readonly isChangeable: boolean
  /** Throws `INVALID_ARGUMENT` when the value isn't allowed. */
  verify(value: string): void
}

function invalid(reason: string): RocketMqError {
  return new RocketMqError('INVALID_ARGUMENT', reason, { details: { remark: reason } })
}

function oneOf(isChangeable: boolean, values: readonly string[]): AttributeDefinition {
  return {
    isChangeable,
    verify(value) {
      if (!values.includes(value)) throw invalid(`value is not in set: [${values.join(', ')}]`)
    },
  }
}

function longInRange(isChangeable: boolean, min: number, max: number): AttributeDefinition {
  return {
    isChangeable,
    verify(value) {
      if (!/^[+-]?\d+$/.test(value)) throw invalid(`For input string: "${value}"`)
      const number = Number(value)
      if (number < min || number > max) throw invalid(`value is not in range(${min}, ${max})`)
    },
  }
}

/** The attributes that topics have. Source: TopicAttributes, 5.3.x */
export const topicAttributes: ReadonlyMap<string, AttributeDefinition> = new Map([
  ['queue.type', oneOf(false, ['BatchCQ', 'SimpleCQ'])],
  ['cleanup.policy', oneOf(false, ['COMPACTION', 'DELETE'])],
  ['message.type', oneOf(true, ['UNSPECIFIED', 'TRANSACTION', 'FIFO', 'MIXED', 'DELAY', 'NORMAL'])],
  ['reserve.time', longInRange(true, -1, Number.MAX_SAFE_INTEGER)],
])

/**
 * Parses `+name=value,-name` into signed names and values. Throws `INVALID_ARGUMENT` for an entry of another form.
 * Source: AttributeParser#parseToMap, 5.3.x
 */
export function parseAttributeChanges(text: string | undefined): Map<string, string> {
  const changes = new Map<string, string>()
  if (text === undefined || text === '') return changes
  for (const entry of text.split(',')) {
    const equals = entry.indexOf('=')
    const key = equals < 0 ? entry : entry.slice(0, equals)
    const value = equals < 0 ? '' : entry.slice(equals + 1)
    if (equals >= 0 && !key.includes('+')) throw invalid(`add/alter attribute format is wrong: ${key}`)
    if (equals < 0 && !key.includes('-')) throw invalid(`delete attribute format is wrong: ${key}`)
    if (changes.has(key)) throw invalid(`key duplication: ${key}`)
    changes.set(key, value)
  }
  return changes
}

/**
 * The attributes after `changes` (signed names) have been applied to `current`, which stays as it is. Creating allows only
 * `+`; changing what can't change, unknown names and bad values throw `INVALID_ARGUMENT` with Java's text.
 * Source: AttributeUtil#alterCurrentAttributes, 5.3.x
 */
export function alterAttributes(
  definitions: ReadonlyMap<string, AttributeDefinition>,
  current: Record<string, string> | undefined,
  changes: ReadonlyMap<string, string>,
): Record<string, string> {
  const result: Record<string, string> = { ...current }
  const seen = new Set<string>()
  for (const [signedName, value] of changes) {
    const sign = signedName[0]
    const name = signedName.slice(1)
    if (name === '' || name.includes('+') || name.includes('-')) throw invalid('kv string format wrong.')
    if (seen.has(name)) throw invalid(`alter duplication key. key: ${name}`)
    seen.add(name)
    checkSign(sign, name, current)
    const definition = definitions.get(name)
    if (definition === undefined) throw invalid(`unsupported key: ${name}`)
    if (current !== undefined && !definition.isChangeable) {
      throw invalid(`attempt to update an unchangeable attribute. key: ${name}`)
    }
    if (sign === '-') delete result[name]
    else {
      definition.verify(value)
      result[name] = value
    }
  }
  return result
}

/** `current` undefined: the owner is being created. */
function checkSign(sign: string | undefined, name: string, current: Record<string, string> | undefined): void {
  if (current === undefined) {
    if (sign !== '+') throw invalid(`only add attribute is supported while creating topic. key: ${name}`)
  } else if (sign === '-') {
    if (!Object.hasOwn(current, name)) throw invalid(`attempt to delete a nonexistent key: ${name}`)
  } else if (sign !== '+') throw invalid(`wrong format key: ${name}`)
}
