import { DEFAULT_DELAY_LEVELS } from '@rocketmq-ts/model'

const integer = /^[+-]?\d{1,10}$/

/** The value of DELAY as Java reads it: an int32. Undefined when it is none. Source: Message#getDelayTimeLevel, 5.3.x */
export function parseDelayLevel(text: string): number | undefined {
  if (!integer.test(text)) return undefined
  const level = Number(text)
  return (level | 0) === level ? level : undefined
}

/** How many levels `levels`, the setting messageDelayLevel, has. */
export function delayLevelCount(levels: string): number {
  const text = levels.trim() === '' ? DEFAULT_DELAY_LEVELS : levels
  return text.trim().split(' ').length
}
