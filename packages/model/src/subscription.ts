import { RocketMqError } from '@rocketmq-ts/runtime'
import { javaHashCode } from './hash.ts'
import { javaSplit, javaTrim } from './java-text.ts'

export type ExpressionType = 'TAG' | 'SQL92'

/** The subscription expression that selects every message. */
export const SUBSCRIBE_ALL = '*'

/** Which messages of a topic a group wants. */
export interface SubscriptionData {
  readonly topic: string
  readonly subString: string
  readonly expressionType: ExpressionType
  readonly classFilterMode: boolean
  /** ms since 1970 of the subscription's last change. */
  readonly subVersion: number
  /** Empty for `*` and for SQL. */
  readonly tagsSet: readonly string[]
  /** Hash codes of the tags, in the same order. */
  readonly codeSet: readonly number[]
}

/**
 * Reads a subscription expression: `*` or nothing for all, `A || B` for tags, or SQL when `type` says so (its grammar
 * isn't checked here). Throws INVALID_ARGUMENT for an expression without any tag, for SQL without text, and for an
 * unknown type. Source: FilterAPI#build, 5.3.x.
 */
export function buildSubscription(
  topic: string,
  expression: string | undefined,
  type: string | undefined = 'TAG',
  subVersion = 0,
): SubscriptionData {
  if (type !== 'TAG') return buildSqlSubscription(topic, expression, type, subVersion)
  if (expression === undefined || expression === '' || expression === SUBSCRIBE_ALL) {
    return { topic, subString: SUBSCRIBE_ALL, expressionType: 'TAG', ...noTags, subVersion }
  }
  const parts = javaSplit(expression, '||')
  if (parts.length === 0) {
    throw new RocketMqError('INVALID_ARGUMENT', `Subscription ${JSON.stringify(expression)} of ${topic} names no tag.`)
  }
  const tags = new Set<string>()
  for (const part of parts) {
    const tag = javaTrim(part)
    if (tag !== '') tags.add(tag)
  }
  return {
    topic,
    subString: expression,
    expressionType: 'TAG',
    classFilterMode: false,
    subVersion,
    tagsSet: [...tags],
    codeSet: [...new Set(Array.from(tags, javaHashCode))],
  }
}

const noTags = { classFilterMode: false, tagsSet: [], codeSet: [] }

function buildSqlSubscription(
  topic: string,
  expression: string | undefined,
  type: string,
  subVersion: number,
): SubscriptionData {
  if (type !== 'SQL92') {
    throw new RocketMqError('INVALID_ARGUMENT', `Unknown expression type ${JSON.stringify(type)}; use TAG or SQL92.`)
  }
  if (expression === undefined || expression === '') {
    throw new RocketMqError('INVALID_ARGUMENT', `Expression can't be null! ${type}`)
  }
  return { topic, subString: expression, expressionType: type, ...noTags, subVersion }
}

/** True when the subscription takes every message, so that no filter is needed. */
export function isSubscribeAll(subscription: SubscriptionData): boolean {
  return subscription.expressionType === 'TAG' && subscription.subString === SUBSCRIBE_ALL
}
