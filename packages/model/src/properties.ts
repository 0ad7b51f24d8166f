import { RocketMqError } from '@rocketmq-ts/runtime'

/**
 * Message properties as text: `name \x01 value \x02` repeated. There is no escape. The reader's rules are those of
 * Java's: an entry shorter than 3 characters, without name, without \x01 or with an empty value is skipped, the last of
 * equal names wins, and the final \x02 may be missing. Source: MessageDecoder#string2messageProperties, 5.3.x.
 */

const NAME_VALUE = '\u0001'
const ENTRY_END = '\u0002'

/** Most bytes that the properties of one message may take in UTF-8. */
export const PROPERTIES_LIMIT_BYTES = 32_767

function entriesOf(
  properties: Iterable<readonly [string, string]> | Readonly<Record<string, string | undefined>>,
): Iterable<readonly [string, string | null | undefined]> {
  return Symbol.iterator in properties
    ? (properties as Iterable<readonly [string, string]>)
    : Object.entries(properties as Record<string, string | undefined>)
}

/**
 * Properties as text, in the order given; entries whose value is undefined or null are left out.
 * Throws INVALID_ARGUMENT when a name or value holds a separator that would change the meaning of what follows.
 */
export function encodeProperties(
  properties: Iterable<readonly [string, string]> | Readonly<Record<string, string | undefined>>,
): string {
  let text = ''
  for (const [name, value] of entriesOf(properties)) {
    if (value === undefined || value === null) continue
    if (name.includes(NAME_VALUE) || name.includes(ENTRY_END) || value.includes(ENTRY_END)) {
      throw new RocketMqError(
        'INVALID_ARGUMENT',
        `Property ${JSON.stringify(name)} holds a control character (1 or 2) that separates properties.`,
      )
    }
    text += name + NAME_VALUE + value + ENTRY_END
  }
  return text
}

/** Reads properties text by Java's rules. Never throws: what is no property is skipped. */
export function decodeProperties(text: string): Map<string, string> {
  const properties = new Map<string, string>()
  let index = 0
  while (index < text.length) {
    let end = text.indexOf(ENTRY_END, index)
    if (end < 0) end = text.length
    if (end - index >= 3) {
      const separator = text.indexOf(NAME_VALUE, index)
      if (separator > index && separator < end - 1) {
        properties.set(text.slice(index, separator), text.slice(separator + 1, end))
      }
    }
    index = end + 1
  }
  return properties
}

/**
 * The value of one property, or undefined; equal to `decodeProperties(text).get(name)` without building the map.
 * `name` holds neither \x01 nor \x02.
 */
export function findProperty(text: string, name: string): string | undefined {
  let value: string | undefined
  if (name.length === 0) return value
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const separator = at + name.length
    if (text.charCodeAt(separator) !== 1) continue
    if (at > 0 && text.charCodeAt(at - 1) !== 2) continue
    let end = text.indexOf(ENTRY_END, separator)
    if (end < 0) end = text.length
    if (end > separator + 1) value = text.slice(separator + 1, end)
  }
  return value
}

/**
 * The text without any entry of that name, all other entries as they are.
 * Source: MessageUtils#deleteProperty, 5.3.x.
 */
export function removeProperty(text: string, name: string): string {
  if (!text.includes(name)) return text
  let result = ''
  let index = 0
  while (index < text.length) {
    let end = text.indexOf(ENTRY_END, index)
    if (end < 0) end = text.length
    const isMatch = text.startsWith(name, index) && text.charCodeAt(index + name.length) === 1
    if (!isMatch) result += text.slice(index, end + 1)
    index = end + 1
  }
  return result
}
