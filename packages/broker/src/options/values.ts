import { RocketMqError } from '@rocketmq-ts/runtime'
import type { OptionDefinition, OptionValue } from './definition.ts'

/**
 * The value that a configuration text gives for a setting. Blanks around it are ignored. Throws `CONFIG_INVALID` naming
 * the key, the text and what is allowed; Java keeps the default silently, or reads any odd boolean as false.
 */
export function parseOptionText(option: OptionDefinition<OptionValue>, text: string): OptionValue {
  const trimmed = text.trim()
  switch (option.type) {
    case 'boolean': {
      const lower = trimmed.toLowerCase()
      if (lower !== 'true' && lower !== 'false') throw invalid(option, text, 'true or false')
      return lower === 'true'
    }
    case 'int':
    case 'long':
      if (!/^[+-]?\d+$/.test(trimmed)) throw invalid(option, text, 'an integer')
      return checked(option, Number(trimmed))
    case 'double':
      if (trimmed === '' || !Number.isFinite(Number(trimmed))) throw invalid(option, text, 'a number')
      return checked(option, Number(trimmed))
    default:
      return checked(option, choiceByNumber(option, trimmed))
  }
}

/** Checks a value given by a program; throws `CONFIG_INVALID` naming the key when type, range or choice is wrong. */
export function checked(option: OptionDefinition<OptionValue>, value: OptionValue): OptionValue {
  if (value === undefined && option.defaultValue === undefined) return value
  const { min = -Infinity, max = Infinity, choices } = option
  if (option.type === 'text' || option.type === 'boolean') {
    if (typeof value !== (option.type === 'text' ? 'string' : 'boolean'))
      throw invalid(option, value, `a ${option.type}`)
    if (choices !== undefined && !choices.includes(value as string)) {
      throw invalid(option, value, `one of ${choices.join(', ')}`)
    }
    return value
  }
  if (typeof value !== 'number' || Number.isNaN(value)) throw invalid(option, value, 'a number')
  if (option.type !== 'double' && !Number.isSafeInteger(value)) throw invalid(option, value, 'an integer')
  if (value < min || value > max) throw invalid(option, value, `${min} to ${max}`)
  return value
}

/** How Java prints the value; `undefined` for a setting without one. */
export function formatOption(option: OptionDefinition<OptionValue>, value: OptionValue): string | undefined {
  if (value === undefined) return undefined
  if (option.type === 'double' && Number.isInteger(value)) return `${value}.0`
  return String(value)
}

/** Java accepts the exporter type by position too. */
function choiceByNumber(option: OptionDefinition<OptionValue>, text: string): string {
  if (option.key !== 'metricsExporterType' || !/^\d$/.test(text)) return text
  return option.choices?.[Number(text)] ?? text
}

function invalid(option: OptionDefinition<OptionValue>, value: unknown, allowed: string): RocketMqError {
  return new RocketMqError('CONFIG_INVALID', `${option.key}=${String(value)} is not ${allowed}`, {
    details: { key: option.key },
  })
}
