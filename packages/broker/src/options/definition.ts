/** What one setting is: its Java key, type, default, range and a sentence for the docs. */
export interface OptionDefinition<T> {
  /** The key in `broker.conf` and in GET_BROKER_CONFIG. */
  readonly key: string
  readonly type: 'int' | 'long' | 'double' | 'boolean' | 'text'
  /** `undefined`: not set, and then not printed. */
  readonly defaultValue: T
  readonly min: number | undefined
  readonly max: number | undefined
  readonly choices: readonly string[] | undefined
  /** Accepted, kept and shown because Java has it; nothing here reads it. */
  readonly isInert: boolean
  /** Java has no such setting: shown only where it is not at its default. */
  readonly isOurs: boolean
  readonly sentence: string
}

/** A table of settings by our name. */
export type OptionTable = Record<string, OptionDefinition<OptionValue>>

/** The value of any setting. */
export type OptionValue = string | number | boolean | undefined

/** The typed record that a table describes. */
export type OptionsOf<T extends OptionTable> = {
  -readonly [K in keyof T]: T[K] extends OptionDefinition<infer V> ? V : never
}

interface Extra {
  min?: number
  max?: number
  isInert?: boolean
  isOurs?: boolean
}

function define<T>(
  type: OptionDefinition<T>['type'],
  key: string,
  defaultValue: T,
  sentence: string,
  extra: Extra,
  choices?: readonly string[],
): OptionDefinition<T> {
  const { min, max, isInert = false, isOurs = false } = extra
  return { key, type, defaultValue, min, max, choices, isInert, isOurs, sentence }
}

/** A 32 bit integer. */
export function int(key: string, defaultValue: number, sentence: string, extra: Extra = {}): OptionDefinition<number> {
  return define('int', key, defaultValue, sentence, { min: -2_147_483_648, max: 2_147_483_647, ...extra })
}

/** An integer to 2^53 - 1. */
export function long(key: string, defaultValue: number, sentence: string, extra: Extra = {}): OptionDefinition<number> {
  return define('long', key, defaultValue, sentence, {
    min: Number.MIN_SAFE_INTEGER,
    max: Number.MAX_SAFE_INTEGER,
    ...extra,
  })
}

/** A number with a fraction. */
export function double(key: string, value: number, sentence: string, extra: Extra = {}): OptionDefinition<number> {
  return define('double', key, value, sentence, extra)
}

/** `true` or `false`. */
export function flag(key: string, value: boolean, sentence: string, extra: Extra = {}): OptionDefinition<boolean> {
  return define('boolean', key, value, sentence, extra)
}

/** A text that always has a value. */
export function text(key: string, value: string, sentence: string, extra: Extra = {}): OptionDefinition<string> {
  return define('text', key, value, sentence, extra)
}

/** A text that may be unset. */
export function optionalText(key: string, sentence: string, extra: Extra = {}): OptionDefinition<string | undefined> {
  return define<string | undefined>('text', key, undefined, sentence, extra)
}

/** One of `choices`, spelt as Java spells its constants. */
export function choice<const C extends readonly string[]>(
  key: string,
  choices: C,
  value: C[number],
  sentence: string,
  extra: Extra = {},
): OptionDefinition<C[number]> {
  return define<C[number]>('text', key, value, sentence, extra, choices)
}
