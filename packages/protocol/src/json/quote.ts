// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly the characters that JSON escapes
const needsEscape = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly the characters that JSON escapes
const escaped = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/g
const shortEscapes: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
}

function escapeCharacter(character: string): string {
  const short = shortEscapes[character]
  if (short !== undefined) return short
  return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}

/**
 * A JSON string with its quotes, in the spelling of Java's writer: control characters, U+007F to U+009F, U+2028 and U+2029
 * as `\u` with upper-case digits, every other character as it is. Source: SerializeWriter (fastjson 1.2.83).
 */
export function quoteJson(text: string): string {
  return needsEscape.test(text) ? `"${text.replace(escaped, escapeCharacter)}"` : `"${text}"`
}
