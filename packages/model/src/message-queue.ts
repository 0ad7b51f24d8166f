import { javaHashCode } from './hash.ts'

/** One queue of a topic on one broker group. */
export interface MessageQueue {
  readonly topic: string
  readonly brokerName: string
  /** 0 or more; -1 stands for all queues of the broker (POP). */
  readonly queueId: number
}

/** A text that is equal exactly for equal queues, for use as a map key. */
export function messageQueueKey(queue: MessageQueue): string {
  return `${queue.topic}@${queue.brokerName}@${queue.queueId}`
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Order of queues that every client of a group shares: topic, broker name, queue id. */
export function compareMessageQueues(a: MessageQueue, b: MessageQueue): number {
  return compareText(a.topic, b.topic) || compareText(a.brokerName, b.brokerName) || a.queueId - b.queueId
}

export function messageQueuesEqual(a: MessageQueue, b: MessageQueue): boolean {
  return a.queueId === b.queueId && a.brokerName === b.brokerName && a.topic === b.topic
}

/** Java's text form; the consistent hash is taken of it. Source: MessageQueue#toString, 5.3.x. */
export function messageQueueText(queue: MessageQueue): string {
  return `MessageQueue [topic=${queue.topic}, brokerName=${queue.brokerName}, queueId=${queue.queueId}]`
}

/** Source: MessageQueue#hashCode, 5.3.x. */
export function messageQueueHashCode(queue: MessageQueue): number {
  let hash = (31 + javaHashCode(queue.brokerName)) | 0
  hash = (Math.imul(31, hash) + queue.queueId) | 0
  return (Math.imul(31, hash) + javaHashCode(queue.topic)) | 0
}
