/*
 * The text of `broker.conf`, `namesrv.conf` and of the requests that read or change settings: Java's `.properties` form,
 * `key=value`, `key:value` or `key value`; `#` and `!` begin comments; a backslash at the end of a line continues it;
 * escapes `\t \n \r \f \uXXXX`, any other escaped character is itself.
 */

/** Reads settings; the last of equal keys wins. Never throws: a broken escape is kept as the characters it has. */
export function parseConfigText(text: string): Map<string, string> {
  const entries = new Map<string, string>()
  for (const { content } of logicalLines(text)) {
    if (content === undefined) continue
    const { keyEnd, valueStart } = splitLine(content)
    entries.set(unescapeText(content.slice(0, keyEnd)), unescapeText(content.slice(valueStart)))
  }
  return entries
}

/** `key=value` lines sorted by key, without any escape, as Java writes settings into answers. */
export function formatConfigText(entries: Iterable<readonly [string, string]>): string {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted.map(([key, value]) => `${key}=${value}\n`).join('')
}

/**
 * The text of a file after some settings have changed: a line of such a key gets the new value, a key without a line is
 * added at the end, and everything else, comments and order included, stays. Java writes the file anew with all settings.
 */
export function editConfigText(text: string, changes: ReadonlyMap<string, string>): string {
  const missing = new Map(changes)
  const lines: string[] = []
  for (const { content, source } of logicalLines(text)) {
    const key = content === undefined ? undefined : unescapeText(content.slice(0, splitLine(content).keyEnd))
    const value = key === undefined ? undefined : changes.get(key)
    if (key === undefined || value === undefined) {
      lines.push(source)
      continue
    }
    // Of a key that stands twice the last line counts; all get the value.
    lines.push(configLine(key, value))
    missing.delete(key)
  }
  while (lines.at(-1) === '') lines.pop()
  for (const [key, value] of missing) lines.push(configLine(key, value))
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

const escapes: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\f': '\\f' }

function configLine(key: string, value: string): string {
  const escaped = (character: string) => escapes[character] ?? `\\${character}`
  return `${key.replace(/[\\ \t\n\r\f=:#!]/g, escaped)}=${value.replace(/[\\\n\r]|^[ \t\f]/g, escaped)}`
}

interface LogicalLine {
  /** The joined lines without leading blanks; undefined for a comment or an empty line. */
  readonly content: string | undefined
  /** The lines as they stand. */
  readonly source: string
}

function logicalLines(text: string): LogicalLine[] {
  const lines: LogicalLine[] = []
  let content: string | undefined
  let source: string | undefined
  for (const natural of text.split(/\r\n|\r|\n/)) {
    const line = natural.replace(/^[ \t\f]+/, '')
    if (content === undefined && (line === '' || line.startsWith('#') || line.startsWith('!'))) {
      lines.push({ content: undefined, source: natural })
      continue
    }
    content = (content ?? '') + line
    source = source === undefined ? natural : `${source}\n${natural}`
    const backslashes = /\\*$/.exec(line)![0].length
    if (backslashes % 2 === 1) {
      content = content.slice(0, -1)
      continue
    }
    lines.push({ content, source })
    content = undefined
    source = undefined
  }
  if (content !== undefined && source !== undefined)
    lines.push({ content: content === '' ? undefined : content, source })
  return lines
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\f'
}

function splitLine(line: string): { keyEnd: number; valueStart: number } {
  let keyEnd = 0
  while (keyEnd < line.length) {
    const character = line[keyEnd]
    if (character === '=' || character === ':' || isBlank(character)) break
    keyEnd += character === '\\' ? 2 : 1
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

const controlEscapes: Record<string, string> = { t: '\t', n: '\n', r: '\r', f: '\f' }

function unescapeText(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|[\s\S])/g, (_, escaped: string) => {
    if (escaped.length === 5) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return controlEscapes[escaped] ?? escaped
  })
}
