import { dlqTopic, type SubscriptionGroupConfig } from '@rocketmq-ts/model'
import { ResponseCode, type SendMessageHeader } from '@rocketmq-ts/protocol'
import { faqSuffix } from '../faq.ts'
import type { QueueLocks } from '../lock/queue-locks.ts'
import type { SubscriptionGroupTable } from '../subscription/group-table.ts'
import type { TopicTable } from '../topic/topic-table.ts'
import type { SendRefusal } from './send-targets.ts'

/** Clients from this version on may set the limit of attempts themselves (V3_4_9). */
export const RETRY_LIMIT_VERSION = 121

/** Queues of a dead-letter topic. */
const DEAD_LETTER_QUEUES = 1

/** The answer when a group is neither known nor creatable. */
export function unknownGroup(group: string): SendRefusal {
  return {
    code: ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST,
    remark: `subscription group not exist, ${group} ${faqSuffix}`,
  }
}

/** How often a message of `config`'s group may be tried again. */
export function retryLimit(config: SubscriptionGroupConfig, version: number, asked: number | undefined): number {
  return version >= RETRY_LIMIT_VERSION && asked !== undefined ? asked : config.retryMaxTimes
}

/**
 * Decides about a plain send to a retry topic, which is what a client falls back to when sending back has failed: more
 * attempts than the limit, or a group that consumes in order (it holds queue locks), and the message is dead.
 * Source: SendMessageProcessor#handleRetryAndDLQ, 5.3.x
 */
export class DeadLetterRule {
  readonly #groups: SubscriptionGroupTable
  readonly #topics: TopicTable
  readonly #locks: QueueLocks

  constructor(deps: { groups: SubscriptionGroupTable; topics: TopicTable; locks: QueueLocks }) {
    this.#groups = deps.groups
    this.#topics = deps.topics
    this.#locks = deps.locks
  }

  /** The dead-letter topic to use instead, undefined to go on, or why the send is refused. */
  apply(group: string, header: SendMessageHeader, version: number): SendRefusal | string | undefined {
    const config = this.#groups.find(group)
    if (config === undefined) return unknownGroup(group)
    const limit = retryLimit(config, version, header.maxReconsumeTimes)
    if (header.reconsumeTimes <= limit && !this.#locks.isHeld(group)) return undefined
    return this.deadLetterTopic(group)
  }

  /** The group's dead-letter topic, created when absent. */
  deadLetterTopic(group: string): string {
    return this.#topics.ensureBackTopic(dlqTopic(group), DEAD_LETTER_QUEUES).topicName
  }
}
