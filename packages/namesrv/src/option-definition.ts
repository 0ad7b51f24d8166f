import { RocketMqError } from '@rocketmq-ts/runtime'

/** What one setting is: its Java key, default, and a sentence for the docs. */
export interface OptionDefinition<T> {
  readonly key: string
  readonly defaultValue: T
  /** Accepted, kept and shown because Java has it; nothing here reads it. */
  readonly isInert: boolean
  readonly sentence: string
  /** The value that a configuration text gives. Throws `CONFIG_INVALID` naming key, text and what is allowed. */
  parse(text: string): T
  /** A value given by a program, when it is of the type and in range. Throws `CONFIG_INVALID`. */
  check(value: unknown): T
}

/** The typed record that a table describes. */
export type OptionsOf<T> = { -readonly [K in keyof T]: T[K] extends OptionDefinition<infer V> ? V : never }

interface Extra {
  isInert?: boolean
}

/** An integer in a range; by default from -2^31 to 2^31 - 1. */
export function int(
  key: string,
  defaultValue: number,
  sentence: string,
  extra: Extra & { min?: number; max?: number } = {},
): OptionDefinition<number> {
  const { min = -0x8000_0000, max = 0x7fff_ffff, isInert = false } = extra
  const check = (value: unknown) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
    throw invalid(key, value, `an integer from ${min} to ${max}`)
  }
  const parse = (text: string) => check(/^\s*[+-]?\d{1,15}\s*$/.test(text) ? Number(text) : text)
  return { key, defaultValue, isInert, sentence, parse, check }
}

/** `true` or `false`, in a text in any letter case. */
export function flag(
  key: string,
  defaultValue: boolean,
  sentence: string,
  extra: Extra = {},
): OptionDefinition<boolean> {
  const check = (value: unknown) => {
    if (typeof value === 'boolean') return value
    throw invalid(key, value, 'true or false')
  }
  const parse = (text: string) => {
    const name = text.trim().toLowerCase()
    return name === 'true' ? true : name === 'false' ? false : check(text)
  }
  return { key, defaultValue, isInert: extra.isInert ?? false, sentence, parse, check }
}

/** Any text. */
export function text(key: string, defaultValue: string, sentence: string, extra: Extra = {}): OptionDefinition<string> {
  const check = (value: unknown) => {
    if (typeof value === 'string') return value
    throw invalid(key, value, 'a text')
  }
  return { key, defaultValue, isInert: extra.isInert ?? false, sentence, parse: check, check }
}

function invalid(key: string, value: unknown, allowed: string): RocketMqError {
  return new RocketMqError('CONFIG_INVALID', `${key}=${String(value)} is not ${allowed}`, { details: { key } })
}
