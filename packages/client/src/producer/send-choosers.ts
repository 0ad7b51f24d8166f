import type { Message, MessageQueue } from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { TopicPublishInfo } from '../publish-info.ts'
import { hashIndex } from './queue-selection.ts'
import type { TargetChooser } from './send-call.ts'
import type { RawMessage, SendOptions } from './send-types.ts'
import type { QueueTarget, TopicContext } from './topic-context.ts'

/** How the queue of a message is found when it isn't simply the next one: undefined for that. */
export function chooserOf(
  topic: TopicContext,
  message: Message | RawMessage,
  options: SendOptions | undefined,
): TargetChooser | undefined {
  if (options?.queue !== undefined) return new GivenQueue(topic, options.queue)
  if (options?.select !== undefined) return new Selected(topic, message as Message, options.select)
  const shardingKey = 'shardingKey' in message ? message.shardingKey : undefined
  return shardingKey === undefined ? undefined : new ByKey(topic, shardingKey)
}

class GivenQueue implements TargetChooser {
  readonly needsRoute = true
  readonly #topic: TopicContext
  readonly #queue: MessageQueue

  constructor(topic: TopicContext, queue: MessageQueue) {
    if (typeof queue?.brokerName !== 'string' || !Number.isInteger(queue.queueId)) {
      throw new RocketMqError('INVALID_ARGUMENT', 'queue must be { topic, brokerName, queueId }')
    }
    if (queue.topic !== topic.userTopic && queue.topic !== topic.topic) {
      throw new RocketMqError(
        'INVALID_ARGUMENT',
        `the queue is of topic "${queue.topic}", the message of "${topic.userTopic}"`,
      )
    }
    this.#topic = topic
    this.#queue = queue
  }

  choose(info: TopicPublishInfo | undefined): QueueTarget {
    return this.#topic.targetOf(info, this.#queue)
  }
}

class Selected implements TargetChooser {
  readonly needsRoute = true
  readonly #topic: TopicContext
  readonly #message: Message
  readonly #select: NonNullable<SendOptions['select']>

  constructor(topic: TopicContext, message: Message, select: NonNullable<SendOptions['select']>) {
    this.#topic = topic
    this.#message = message
    this.#select = select
  }

  choose(info: TopicPublishInfo): QueueTarget {
    const targets = this.#topic.targets(info)
    let queue: MessageQueue | undefined
    try {
      queue = this.#select(
        targets.map(target => target.queue),
        this.#message,
      )
    } catch (cause) {
      throw new RocketMqError('INVALID_ARGUMENT', 'select message queue threw exception.', { cause })
    }
    if (queue === undefined || queue === null) {
      throw new RocketMqError('INVALID_ARGUMENT', 'select message queue return null.')
    }
    return this.#topic.targetOf(info, queue)
  }
}

class ByKey implements TargetChooser {
  readonly needsRoute = true
  readonly #topic: TopicContext
  readonly #key: string

  constructor(topic: TopicContext, key: string) {
    this.#topic = topic
    this.#key = key
  }

  choose(info: TopicPublishInfo): QueueTarget {
    const targets = this.#topic.targets(info)
    return targets[hashIndex(this.#key, targets.length)]!
  }
}
