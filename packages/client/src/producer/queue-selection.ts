import { javaHashCode } from '@rocketmq-ts/model'
import type { TopicPublishInfo } from '../publish-info.ts'
import type { LatencyFaults } from './latency-faults.ts'
import type { QueueTarget } from './topic-context.ts'

function nextIndex(info: TopicPublishInfo): number {
  const index = info.nextIndex
  info.nextIndex = (index + 1) & 0x7fffffff
  return index
}

/**
 * Round robin over the targets, passing over those of `avoidedBroker` as long as there are others.
 * Source: TopicPublishInfo#selectOneMessageQueue, 5.3.x
 */
export function nextTarget(
  info: TopicPublishInfo,
  targets: readonly QueueTarget[],
  avoidedBroker: string | undefined,
): QueueTarget {
  if (avoidedBroker !== undefined) {
    for (let i = 0; i < targets.length; i++) {
      const target = targets[nextIndex(info) % targets.length]!
      if (target.brokerName !== avoidedBroker) return target
    }
  }
  return targets[nextIndex(info) % targets.length]!
}

/**
 * The same, preferring brokers that are available, then those at least reachable.
 * Source: MQFaultStrategy#selectOneMessageQueue, 5.3.x
 */
export function nextHealthyTarget(
  info: TopicPublishInfo,
  targets: readonly QueueTarget[],
  avoidedBroker: string | undefined,
  faults: LatencyFaults,
  nowMs: number,
): QueueTarget {
  for (let i = 0; i < targets.length; i++) {
    const target = targets[nextIndex(info) % targets.length]!
    if (target.brokerName !== avoidedBroker && faults.isAvailable(target.brokerName, nowMs)) return target
  }
  for (let i = 0; i < targets.length; i++) {
    const target = targets[nextIndex(info) % targets.length]!
    if (target.brokerName !== avoidedBroker && faults.isReachable(target.brokerName)) return target
  }
  return nextTarget(info, targets, undefined)
}

/**
 * The same queue for the same key, as long as the number of queues stays.
 * Source: SelectMessageQueueByHash#select, 5.3.x
 */
export function hashIndex(key: string, count: number): number {
  return Math.abs(javaHashCode(key) % count)
}
