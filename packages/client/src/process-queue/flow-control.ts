import type { ProcessQueue } from './process-queue.ts'

/** Limits of what one consumer keeps in memory. All are tested before a pull, so one pull may exceed each. */
export interface FlowLimits {
  /** Unfinished messages of one queue. */
  messagesPerQueue: number
  /** Retained bytes of one queue. */
  bytesPerQueue: number
  /** Distance in offsets between the oldest and newest unfinished message of one queue; orderly consumption ignores it. */
  span: number
  /** Retained bytes of all queues of the consumer. */
  bytesTotal: number
}

/** Which limit holds a queue's next pull back. */
export type FlowReason = 'messages' | 'bytes' | 'span' | 'bytesTotal'

/**
 * The limit that forbids pulling more into `processQueue`; undefined when none does.
 * Source: DefaultMQPushConsumerImpl#pullMessage, 5.3.x; the total is ours.
 */
export function flowReason(processQueue: ProcessQueue, totalBytes: number, limits: FlowLimits): FlowReason | undefined {
  if (processQueue.messageCount > limits.messagesPerQueue) return 'messages'
  if (processQueue.retainedBytes > limits.bytesPerQueue) return 'bytes'
  if (processQueue.span > limits.span) return 'span'
  // A queue with nothing in memory may always pull, or a consumer whose other queues are stuck would starve it.
  if (totalBytes > limits.bytesTotal && processQueue.messageCount > 0) return 'bytesTotal'
  return undefined
}

/** Per-topic thresholds; -1 means none. */
export interface TopicThresholds {
  messagesPerTopic: number
  bytesPerTopic: number
}

/**
 * Limits after the held queues changed: a topic threshold is shared evenly by all held queues and replaces the per-queue
 * limit. Source: RebalancePushImpl#messageQueueChanged, 5.3.x.
 */
export function limitsForQueueCount(base: FlowLimits, thresholds: TopicThresholds, queueCount: number): FlowLimits {
  const share = (threshold: number, fallback: number) =>
    threshold < 0 || queueCount === 0 ? fallback : Math.max(1, Math.floor(threshold / queueCount))
  return {
    ...base,
    messagesPerQueue: share(thresholds.messagesPerTopic, base.messagesPerQueue),
    bytesPerQueue: share(thresholds.bytesPerTopic, base.bytesPerQueue),
  }
}
