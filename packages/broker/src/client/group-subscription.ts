import type { SubscriptionData } from '@rocketmq-ts/model'

/** A subscription with what the pull path needs of it, worked out once instead of at every pull. */
export interface GroupSubscription {
  readonly data: SubscriptionData
  /** False for SQL92 and other expressions. */
  readonly isTagType: boolean
  /** Tag codes that pass; undefined when every message passes. */
  readonly tagCodes: ReadonlySet<number> | undefined
}

/** Compiles a subscription. Source: ExpressionMessageFilter#isMatchedByConsumeQueue, 5.3.x */
export function groupSubscription(data: SubscriptionData): GroupSubscription {
  const isTagType =
    data.expressionType === undefined || (data.expressionType as string) === '' || data.expressionType === 'TAG'
  const isAll = data.classFilterMode || data.subString === '*'
  return { data, isTagType, tagCodes: !isTagType || isAll ? undefined : new Set(data.codeSet) }
}
