/**
 * Java's `.properties` text: `key=value`, `key:value` or `key value`; `#` and `!` begin comments; a backslash at the end
 * of a line continues it; escapes `\t \n \r \f \uXXXX`, any other escaped character is itself. The last of equal keys wins.
 * Never throws: a truncated `\u` escape is kept as the characters it has.
 */
export function parseProperties(text: string): Map<string, string> {
  const entries = new Map<string, string>()
  for (const line of logicalLines(text)) {
    const { keyEnd, valueStart } = splitLine(line)
    entries.set(unescapeText(line.slice(0, keyEnd)), unescapeText(line.slice(valueStart)))
  }
  return entries
}

/** The plain text that GET_BROKER_CONFIG carries: `key=value` lines sorted by key, without any escape, as Java writes it. */
export function formatProperties(entries: Iterable<readonly [string, string]>): string {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted.map(([key, value]) => `${key}=${value}\n`).join('')
}

const isBlank = (character: string | undefined) => character === ' ' || character === '\t' || character === '\f'

function logicalLines(text: string): string[] {
  const lines: string[] = []
  let pending: string | undefined
  for (const natural of text.split(/\r\n|\r|\n/)) {
    const line = natural.replace(/^[ \t\f]+/, '')
    if (pending === undefined && (line === '' || line.startsWith('#') || line.startsWith('!'))) continue
    const joined: string = (pending ?? '') + line
    const trailing = /\\*$/.exec(line)![0].length
    if (trailing % 2 === 1) {
      pending = joined.slice(0, -1)
      continue
    }
    lines.push(joined)
    pending = undefined
  }
  if (pending !== undefined && pending !== '') lines.push(pending)
  return lines
}

function splitLine(line: string): { keyEnd: number; valueStart: number } {
  let keyEnd = 0
  while (keyEnd < line.length) {
    const character = line[keyEnd]
    if (character === '\\') {
      keyEnd += 2
      continue
    }
    if (character === '=' || character === ':' || isBlank(character)) break
    keyEnd++
  }
  keyEnd = Math.min(keyEnd, line.length)
  let valueStart = keyEnd
  while (isBlank(line[valueStart])) valueStart++
  if (line[valueStart] === '=' || line[valueStart] === ':') {
    valueStart++
    while (isBlank(line[valueStart])) valueStart++
  }
  return { keyEnd, valueStart }
}

function unescapeText(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|[\s\S])/g, (_, escaped: string) => {
    if (escaped.length === 5) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    switch (escaped) {
      case 't':
        return '\t'
      case 'n':
        return '\n'
      case 'r':
        return '\r'
      case 'f':
        return '\f'
      default:
        return escaped
    }
  })
}
