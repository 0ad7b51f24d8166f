import type { SubscriptionData } from '@rocketmq-ts/model'
import type { ReceivedMessage } from './received-message.ts'

/**
 * True when the client must look at tags itself: the broker compares hash codes only, and different tags may share one.
 */
export function needsTagFilter(subscription: SubscriptionData): boolean {
  return subscription.tagsSet.length > 0 && !subscription.classFilterMode
}

/**
 * The messages whose tag is one of the subscription's, in order. Source: PullAPIWrapper#processPullResult, 5.3.x
 */
export function filterByTag<M extends ReceivedMessage>(messages: M[], subscription: SubscriptionData): M[] {
  if (!needsTagFilter(subscription)) return messages
  const wanted = subscription.tagsSet
  return messages.filter(message => {
    const tag = message.tags
    return tag !== undefined && wanted.includes(tag)
  })
}
