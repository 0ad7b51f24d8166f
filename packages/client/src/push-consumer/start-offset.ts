import type { ConsumeFromWhere } from '../consume/consumer-registration.ts'

/** What decides where a queue's consumption begins. */
export interface StartOffsetRule {
  readonly consumeFromWhere: ConsumeFromWhere
  /** For `CONSUME_FROM_TIMESTAMP`: milliseconds since 1970. */
  readonly timestampMs: number
}

/** Questions that a rule may have to ask; asked only when there is no stored offset. */
export interface StartOffsetQuestions {
  maxOffset(): Promise<number>
  /** First message at or after the time. */
  offsetByTime(timestampMs: number): Promise<number>
}

/**
 * Where to begin a queue: at the group's stored offset, else where the rule says. Rejects when a question fails.
 * A retry topic without offset begins at 0, so that no retry is lost; under the time rule at its end.
 * Source: RebalancePushImpl#computePullFromWhereWithException, 5.3.x
 */
export async function startOffset(
  storedOffset: number | undefined,
  isRetryTopic: boolean,
  rule: StartOffsetRule,
  ask: StartOffsetQuestions,
): Promise<number> {
  if (storedOffset !== undefined && storedOffset >= 0) return storedOffset
  switch (rule.consumeFromWhere) {
    case 'CONSUME_FROM_FIRST_OFFSET':
      return 0
    case 'CONSUME_FROM_TIMESTAMP':
      return isRetryTopic ? await ask.maxOffset() : await ask.offsetByTime(rule.timestampMs)
    default:
      return isRetryTopic ? 0 : await ask.maxOffset()
  }
}

const timestampForm = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/

/**
 * Reads `yyyyMMddHHmmss` in the local time zone, Java's form of a consume timestamp; undefined when it is none.
 */
export function parseConsumeTimestamp(text: string): number | undefined {
  const parts = timestampForm.exec(text)
  if (!parts) return undefined
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const date = new Date(year, month - 1, day, hour, minute, second)
  const isExact = date.getMonth() === month - 1 && date.getDate() === day && minute < 60 && second < 60 && hour < 24
  return isExact ? date.getTime() : undefined
}
