/** Names that RocketMQ derives from a topic, a group or a cluster. */

export const retryPrefix = '%RETRY%'
export const dlqPrefix = '%DLQ%'
export const lmqPrefix = '%LMQ%'

/** Light queues have this one queue. */
export const LMQ_QUEUE_ID = 0

/** Broker id of a master. */
export const MASTER_BROKER_ID = 0

/** Where a consumer group's failed messages wait for another try. */
export function retryTopic(group: string): string {
  return retryPrefix + group
}

/** Where a consumer group's messages end when all tries failed. */
export function dlqTopic(group: string): string {
  return dlqPrefix + group
}

/** Where answers of request/reply exchanges of a cluster pass. */
export function replyTopic(cluster: string): string {
  return `${cluster}_REPLY_TOPIC`
}

export function isRetryTopic(topic: string): boolean {
  return topic.startsWith(retryPrefix)
}

export function isDlqTopic(topic: string): boolean {
  return topic.startsWith(dlqPrefix)
}

export function isLmq(topic: string): boolean {
  return topic.startsWith(lmqPrefix)
}

/** The group of a retry or dead letter topic, undefined for any other topic. */
export function groupOfRetryOrDlqTopic(topic: string): string | undefined {
  if (isRetryTopic(topic)) return topic.slice(retryPrefix.length)
  if (isDlqTopic(topic)) return topic.slice(dlqPrefix.length)
  return undefined
}

/** The address of a broker's second port, two below its own. Source: MixAll#brokerVIPChannel, 5.3.x. */
export function vipAddress(address: string): string {
  const colon = address.lastIndexOf(':')
  return `${address.slice(0, colon)}:${Number(address.slice(colon + 1)) - 2}`
}
