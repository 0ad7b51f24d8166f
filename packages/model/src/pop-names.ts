import { retryPrefix } from './names.ts'

/** Names of POP's retry topics. v2 separates by a character that no topic or group may hold. Source: KeyBuilder, 5.3.x. */

/** Stands for "no revive queue" in the receipts of orderly POP. */
export const POP_ORDER_REVIVE_QUEUE = 999

export function popRetryTopicV1(topic: string, group: string): string {
  return `${retryPrefix}${group}_${topic}`
}

export function popRetryTopicV2(topic: string, group: string): string {
  return `${retryPrefix}${group}+${topic}`
}

export function isPopRetryTopicV2(topic: string): boolean {
  return topic.startsWith(retryPrefix) && topic.includes('+')
}

/** The topic whose messages a group's POP retry topic of either version holds; any other topic as it is. */
export function normalTopicOf(topic: string, group: string): string {
  if (!topic.startsWith(retryPrefix)) return topic
  const rest = topic.slice(retryPrefix.length + group.length)
  const isOfGroup = topic.startsWith(group, retryPrefix.length) && (rest[0] === '_' || rest[0] === '+')
  return isOfGroup ? rest.slice(1) : topic
}

/** The topic behind a v2 retry topic when the group isn't known; any other topic as it is. */
export function normalTopicOfV2(topic: string): string {
  const parts = isPopRetryTopicV2(topic) ? topic.split('+') : []
  return parts.length === 2 ? parts[1]! : topic
}

/** The group of a pull retry topic or of a v2 POP retry topic. */
export function groupOfRetryTopic(topic: string): string {
  const parts = isPopRetryTopicV2(topic) ? topic.split('+') : []
  return (parts.length === 2 ? parts[0]! : topic).slice(retryPrefix.length)
}

/** Key under which long polls of a queue wait. */
export function pollingKey(topic: string, group: string, queueId: number): string {
  return `${topic}@${group}@${queueId}`
}
