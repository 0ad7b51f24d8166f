import type { SubscriptionData } from '@rocketmq-ts/model'
import type { PulledBatch } from './pulled-batch.ts'
import { ReceivedMessage } from './received-message.ts'

/**
 * Leaves only the records whose tag is one of the subscription's: the broker compares hash codes, and different tags may
 * share one. Source: PullAPIWrapper#processPullResult, 5.3.x
 */
export function filterByTag(batch: PulledBatch, subscription: SubscriptionData): void {
  const wanted = subscription.tagsSet
  if (wanted.length === 0 || subscription.classFilterMode) return
  batch.keep(index => {
    const tag = new ReceivedMessage(batch, index).tags
    return tag !== undefined && wanted.includes(tag)
  })
}
