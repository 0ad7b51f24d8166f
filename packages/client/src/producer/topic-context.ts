import { assertTopic, isSendRefusedTopic, type MessageQueue, replyTopic, withNamespace } from '@rocketmq-ts/model'
import { RequestCode } from '@rocketmq-ts/protocol'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { TopicPublishInfo } from '../publish-info.ts'
import type { RouteTable } from '../route-table.ts'
import type { ResolvedProducerOptions } from './producer-options.ts'
import { type SendHeaderParts, sendHeaderStart } from './send-frame.ts'

/** One queue as a target of sends, with what can be computed before the first message. */
export interface QueueTarget {
  /** As the application sees it: topic without namespace. */
  readonly queue: MessageQueue
  /** Broker that holds the queue. */
  readonly brokerName: string
  readonly header: SendHeaderParts
  /** See {@link sendHeaderStart}; the one for batches is made at its first use. */
  readonly headerStart: string
  batchHeaderStart: string | undefined
}

/** What a producer knows of one topic. */
export class TopicContext {
  /** As the application says it. */
  readonly userTopic: string
  /** As on the wire. */
  readonly topic: string
  /** True since the last look of the route refresh. */
  wasUsed = true
  readonly #options: ResolvedProducerOptions
  readonly #routes: RouteTable
  #info: TopicPublishInfo | undefined
  #targets: readonly QueueTarget[] = []

  /** Throws `INVALID_ARGUMENT` when nobody may send to this topic, or it is none. */
  constructor(userTopic: string, options: ResolvedProducerOptions, routes: RouteTable) {
    if (typeof userTopic !== 'string') throw new RocketMqError('INVALID_ARGUMENT', 'a message needs a topic, a text')
    assertTopic(userTopic)
    if (isSendRefusedTopic(userTopic)) {
      throw new RocketMqError('INVALID_ARGUMENT', `topic "${userTopic}" is RocketMQ's own; nobody may send to it`)
    }
    this.userTopic = userTopic
    this.topic = userTopic.endsWith(replyTopic('')) ? userTopic : withNamespace(options.client.namespace, userTopic)
    this.#options = options
    this.#routes = routes
  }

  /** The last route used was borrowed from the default topic: a send is about to create the topic. */
  get isBorrowed(): boolean {
    return this.#info?.isBorrowed === true
  }

  /** The targets for a route, in the order of its queues; made anew when the route changed. */
  targets(info: TopicPublishInfo): readonly QueueTarget[] {
    if (this.#info !== info) {
      this.#info = info
      this.#targets = info.queues.map(queue => this.#target(queue))
    }
    return this.#targets
  }

  /** The target for a queue that the application named; it need not be in the route. */
  targetOf(info: TopicPublishInfo | undefined, queue: MessageQueue): QueueTarget {
    const known =
      info && this.targets(info).find(t => t.queue.queueId === queue.queueId && t.queue.brokerName === queue.brokerName)
    return known ?? this.#target(queue)
  }

  #target(queue: MessageQueue): QueueTarget {
    const { brokerName, queueId } = queue
    const holder = this.#routes.holderOf({ topic: this.topic, brokerName, queueId })
    const header: SendHeaderParts = {
      group: withNamespace(this.#options.client.namespace, this.#options.group),
      topic: this.topic,
      defaultTopic: this.#options.createTopicKey,
      defaultTopicQueueNums: this.#options.defaultTopicQueueNums,
      queueId,
      unitMode: this.#options.client.unitMode,
      brokerName: holder,
    }
    return {
      queue: { topic: this.userTopic, brokerName, queueId },
      brokerName: holder,
      header,
      headerStart: sendHeaderStart(header, RequestCode.SEND_MESSAGE_V2),
      batchHeaderStart: undefined,
    }
  }
}

/** The start of the header for a target and a request code. */
export function headerStartOf(target: QueueTarget, code: number): string {
  if (code === RequestCode.SEND_MESSAGE_V2) return target.headerStart
  if (code !== RequestCode.SEND_BATCH_MESSAGE) return sendHeaderStart(target.header, code)
  target.batchHeaderStart ??= sendHeaderStart(target.header, code)
  return target.batchHeaderStart
}
