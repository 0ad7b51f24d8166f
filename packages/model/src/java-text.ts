/** The few string rules of Java that decide what is accepted. */

/** `String.trim` of Java: removes all characters up to and including the space, at both ends. */
export function javaTrim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && text.charCodeAt(start) <= 0x20) start++
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--
  return text.slice(start, end)
}

/** True when there is nothing but white space. */
export function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === ''
}

/** `String.split` of Java with a literal separator: empty parts at the end are dropped. */
export function javaSplit(text: string, separator: string): string[] {
  const parts = text.split(separator)
  if (parts.length === 1) return parts
  while (parts.length > 0 && parts[parts.length - 1] === '') parts.pop()
  return parts
}
