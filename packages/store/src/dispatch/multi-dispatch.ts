import { findProperty, propertyNames, topicAllowsLmq } from '@rocketmq-ts/model'

/** Prefix of light queues; they have one queue, number 0. */
const LIGHT_PREFIX = '%LMQ%'
const SEPARATOR = ','

export interface LightQueueOffset {
  readonly topic: string
  readonly queueId: number
  readonly queueOffset: number
}

export interface LightQueueName {
  readonly topic: string
  readonly queueId: number
}

/**
 * The queues, beside its own, that a message of `topic` goes to: those named by INNER_MULTI_DISPATCH. A name that is no light
 * queue's means that topic's queue with the message's id. Messages of retry and system topics go nowhere else:
 * delayed ones when they are due.
 * Source: MultiDispatchUtils, LmqConsumeQueue, 5.3.x.
 */
export function lightQueuesOf(topic: string, queueId: number, properties: string): LightQueueName[] {
  if (!topicAllowsLmq(topic)) return []
  const names = findProperty(properties, propertyNames.innerMultiDispatch)
  if (names === undefined) return []
  return names
    .split(SEPARATOR)
    .filter(name => name.length > 0)
    .map(name => ({ topic: name, queueId: name.startsWith(LIGHT_PREFIX) ? 0 : queueId }))
}

/** The same with the queue offsets that the broker stored in INNER_MULTI_QUEUE_OFFSET; none when they don't fit. */
export function lightQueueOffsets(topic: string, queueId: number, properties: string): LightQueueOffset[] {
  const names = lightQueuesOf(topic, queueId, properties)
  if (names.length === 0) return []
  const text = findProperty(properties, propertyNames.innerMultiQueueOffset)
  const offsets = text?.split(SEPARATOR).map(Number) ?? []
  if (offsets.length !== names.length || !offsets.every(offset => Number.isSafeInteger(offset) && offset >= 0)) {
    return []
  }
  return names.map((name, index) => ({ ...name, queueOffset: offsets[index]! }))
}

/** `properties` with the offsets that a new message gets in its light queues. */
export function withLightQueueOffsets(properties: string, offsets: readonly number[]): string {
  const end = properties.length === 0 || properties.endsWith('\u0002') ? '' : '\u0002'
  return `${properties}${end}${propertyNames.innerMultiQueueOffset}\u0001${offsets.join(SEPARATOR)}\u0002`
}
