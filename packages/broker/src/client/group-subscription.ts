import type { SubscriptionData } from '@rocketmq-ts/model'
import type { MessageFilter } from '@rocketmq-ts/store'

/** A subscription with what the pull path needs of it, worked out once instead of at every pull. */
export interface GroupSubscription {
  readonly data: SubscriptionData
  /** False for SQL92. */
  readonly isTagType: boolean
  /** Which messages pass; undefined when all do. */
  readonly filter: MessageFilter | undefined
}

/**
 * Compiles a subscription; of SQL the filter is not here but with the group's selections.
 * Source: ExpressionMessageFilter#isMatchedByConsumeQueue, 5.3.x
 */
export function groupSubscription(data: SubscriptionData): GroupSubscription {
  const isTagType = data.expressionType === 'TAG'
  const isAll = data.classFilterMode || data.subString === '*'
  return { data, isTagType, filter: !isTagType || isAll ? undefined : tagFilter(data.codeSet) }
}

/** Without any code nothing passes: the expression had only blanks. */
function tagFilter(codes: readonly number[]): MessageFilter {
  const [only] = codes
  if (codes.length === 1) return { matchesEntry: (_high, low) => low === only }
  const wanted = new Set(codes)
  return { matchesEntry: (_high, low) => wanted.has(low) }
}
