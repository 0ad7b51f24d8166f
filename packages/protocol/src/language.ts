/**
 * Names of the client languages in order of their ordinals. A peer that we don't know reads as `OTHER`.
 * Source: LanguageCode, 5.3.x.
 */
export const languages = [
  'JAVA',
  'CPP',
  'DOTNET',
  'PYTHON',
  'DELPHI',
  'ERLANG',
  'RUBY',
  'OTHER',
  'HTTP',
  'GO',
  'PHP',
  'OMS',
  'RUST',
  'NODE_JS',
] as const

/** The name of an ordinal; `OTHER` for one outside the table. */
export function languageOfOrdinal(ordinal: number): string {
  return languages[ordinal] ?? 'OTHER'
}

/** The ordinal of a name in upper case; that of `OTHER` for one outside the table. */
export function ordinalOfLanguage(name: string): number {
  const ordinal = (languages as readonly string[]).indexOf(name)
  return ordinal < 0 ? 7 : ordinal
}

/** What a JSON header says about its language: a name in any letter case, or an ordinal. Absent means `JAVA`. */
export function languageOfHeader(value: unknown): string {
  if (value === 'JAVA' || value === undefined || value === null) return 'JAVA'
  if (typeof value === 'number') return languageOfOrdinal(value)
  if (typeof value !== 'string') return 'OTHER'
  const name = value.toUpperCase()
  if ((languages as readonly string[]).includes(name)) return name
  return /^\d+$/.test(name) ? languageOfOrdinal(Number(name)) : 'OTHER'
}
