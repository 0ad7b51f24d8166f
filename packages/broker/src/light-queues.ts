import {
  defaultSubscriptionGroup,
  isLmq,
  type SubscriptionGroupConfig,
  type TopicConfig,
  topicConfig,
} from '@rocketmq-ts/model'
import type { SubscriptionGroupTable } from './subscription/group-table.ts'
import type { TopicTable } from './topic/topic-table.ts'

/** Read live. */
export interface LightQueueOptions {
  readonly enableLmq: boolean
}

/**
 * The configuration of a topic. With light queues on, a name that begins with `%LMQ%` needs none: it has one queue.
 * Source: LmqTopicConfigManager, 5.3.x
 */
export function topicOf(topics: TopicTable, options: LightQueueOptions, name: string): TopicConfig | undefined {
  const config = topics.get(name)
  if (config !== undefined || !options.enableLmq || !isLmq(name)) return config
  return topicConfig(name, { readQueueNums: 1, writeQueueNums: 1 })
}

/** The same for a group, which is created on first use where that is allowed. Source: LmqSubscriptionGroupManager, 5.3.x */
export function groupOf(
  groups: SubscriptionGroupTable,
  options: LightQueueOptions,
  name: string,
): SubscriptionGroupConfig | undefined {
  return options.enableLmq && isLmq(name) ? defaultSubscriptionGroup(name) : groups.find(name)
}

/** Whether a group is known, without creating it. */
export function hasGroup(groups: SubscriptionGroupTable, options: LightQueueOptions, name: string): boolean {
  return groups.has(name) || (options.enableLmq && isLmq(name))
}
