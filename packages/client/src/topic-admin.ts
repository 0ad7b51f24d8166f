import {
  assertTopic,
  decodeOffsetMessageId,
  formatHost,
  type MessageQueue,
  perm,
  systemTopics,
  timeOfUniqueId,
  withNamespace,
} from '@rocketmq-ts/model'
import {
  getEarliestMsgStoretime,
  getMaxOffset,
  getMinOffset,
  queryMessage,
  ResponseCode,
  searchOffsetByTimestamp,
  updateAndCreateTopic,
  viewMessageById,
} from '@rocketmq-ts/protocol'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { ClientInstance } from './client-instance.ts'
import type { ReceivedMessage } from './consume/received-message.ts'
import { messagesOfRecords } from './consume/records.ts'

/** Settings of a question to name servers and brokers. */
export interface AskOptions {
  /** For each call. Default 6000; looking messages up by key 18000. */
  timeoutMs?: number
  signal?: AbortSignal
}

/** What {@link TopicAdmin.createTopic} makes. */
export interface NewTopic {
  topic: string
  /** Queues to read and to write, on each broker. Default 8. */
  queueNums?: number
  /** Bits of `perm`. Default read and write. */
  perm?: number
  topicSysFlag?: number
  /** For instance `{ 'message.type': 'FIFO' }`; only brokers of version 5 keep them. */
  attributes?: Record<string, string>
  /** On the brokers that have this topic. Default TBW102: all that allow creation by clients. */
  likeTopic?: string
}

/** Which messages to look up. */
export interface MessageQuery {
  topic: string
  /** One of the message's keys, or its messageId when {@link isMessageId}. */
  key: string
  /** At most so many per broker. Default 32. */
  maxCount?: number
  /** Stored at or after, ms since 1970. Default 0. */
  beginMs?: number
  /** Stored at or before, ms since 1970. Default: no bound. */
  endMs?: number
  /** `key` is an id made by a producer. */
  isMessageId?: boolean
}

/** Tries per broker when creating a topic. Source: MQAdminImpl#createTopic, 5.3.x */
const createTopicTries = 5
const threeDaysMs = 3 * 24 * 3600 * 1000

/**
 * What every client may ask about topics, queues and stored messages. Topics are without namespace, in and out.
 * All calls reject with `NO_ROUTE`, `NO_NAME_SERVER`, `BROKER_NOT_FOUND`, `RESPONSE_ERROR`, `REQUEST_TIMEOUT`,
 * `CONNECT_FAILED`, `CONNECTION_CLOSED` or `ABORTED`. Source: MQAdminImpl, 5.3.x
 */
export class TopicAdmin {
  readonly #instance: ClientInstance

  /** @internal */
  constructor(instance: ClientInstance) {
    this.#instance = instance
  }

  /** Queues that can be sent to. */
  async publishQueues(topic: string): Promise<MessageQueue[]> {
    const info = await this.#instance.routes.publishInfo(this.#wire(topic))
    return info.queues.map(queue => ({ ...queue, topic }))
  }

  /** Queues that can be read. */
  async subscribeQueues(topic: string): Promise<MessageQueue[]> {
    const queues = await this.#instance.routes.subscribeQueues(this.#wire(topic))
    return queues.map(queue => ({ ...queue, topic }))
  }

  /**
   * Creates a topic on every master that has `likeTopic`, or changes its settings there. Resolves when at least one has it;
   * the name servers know it a moment later. Rejects with the last broker's error when none took it.
   */
  async createTopic(options: NewTopic, ask: AskOptions = {}): Promise<void> {
    assertTopic(options.topic)
    const topic = this.#wire(options.topic)
    const likeTopic = options.likeTopic ?? systemTopics.autoCreateKey
    const info = await this.#instance.routes.publishInfo(this.#wire(likeTopic))
    const queueNums = options.queueNums ?? 8
    const header = {
      topic,
      defaultTopic: likeTopic,
      readQueueNums: queueNums,
      writeQueueNums: queueNums,
      perm: options.perm ?? perm.read | perm.write,
      topicFilterType: 'SINGLE_TAG',
      topicSysFlag: options.topicSysFlag ?? 0,
      order: false,
      attributes: attributesText(options.attributes),
    }
    let failure: unknown
    let created = 0
    for (const brokerName of new Set(info.queues.map(queue => queue.brokerName))) {
      try {
        const address = await this.#instance.masterOf({ topic: info.topic, brokerName, queueId: 0 })
        await this.#repeat(() => this.#call(updateAndCreateTopic, address, header, ask))
        created++
      } catch (error) {
        failure = error
      }
    }
    if (created === 0) throw failure
    await this.#instance.routes.refresh(topic)
  }

  /** One above the newest message: where the next will go. */
  async maxOffset(queue: MessageQueue, ask?: AskOptions): Promise<number> {
    const { address, header } = await this.#target(queue)
    return (await this.#call(getMaxOffset, address, header, ask)).header.offset
  }

  /** The oldest message that is still there; equal to {@link maxOffset} in an empty queue. */
  async minOffset(queue: MessageQueue, ask?: AskOptions): Promise<number> {
    const { address, header } = await this.#target(queue)
    return (await this.#call(getMinOffset, address, header, ask)).header.offset
  }

  /** ms since 1970 at which the oldest message was stored; -1 in an empty queue. */
  async earliestMessageStoreTime(queue: MessageQueue, ask?: AskOptions): Promise<number> {
    const { address, header } = await this.#target(queue)
    return (await this.#call(getEarliestMsgStoretime, address, header, ask)).header.timestamp
  }

  /**
   * With boundary LOWER (default) the first message stored at or after `timestampMs`, or the queue's end; with UPPER the
   * last one at or before it.
   */
  async searchOffset(
    queue: MessageQueue,
    timestampMs: number,
    options: AskOptions & { boundary?: 'LOWER' | 'UPPER' } = {},
  ): Promise<number> {
    const { address, header } = await this.#target(queue)
    const request = { ...header, timestamp: timestampMs, boundaryType: options.boundary ?? 'LOWER' } as const
    return (await this.#call(searchOffsetByTimestamp, address, request, options)).header.offset
  }

  /**
   * One message by its offset message id, which names the broker's address; with `topic` also by the producer's message id.
   * Undefined when there is no such message.
   */
  async viewMessage(id: string, options: AskOptions & { topic?: string } = {}): Promise<ReceivedMessage | undefined> {
    const byPlace = await this.#messageAt(id, options)
    if (byPlace !== undefined || options.topic === undefined) return byPlace
    const beginMs = uniqueIdTime(id, this.#instance.clock.now()) - threeDaysMs
    const found = await this.queryMessage({ topic: options.topic, key: id, isMessageId: true, beginMs }, options)
    return found.sort((a, b) => b.storeTimestamp - a.storeTimestamp)[0]
  }

  /** Messages that carry a key, or a producer's id, on all brokers of the topic; in no special order. */
  async queryMessage(query: MessageQuery, ask: AskOptions = {}): Promise<ReceivedMessage[]> {
    const topic = this.#wire(query.topic)
    if (!(await this.#instance.routes.refresh(topic))) await this.#instance.routes.subscribeQueues(topic)
    const brokerNames = this.#instance.routes.cachedRoute(topic)?.brokerDatas.map(broker => broker.brokerName) ?? []
    const answers = await Promise.all(brokerNames.map(name => this.#queryBroker(name, topic, query, ask)))
    return answers.flat()
  }

  async #queryBroker(
    brokerName: string,
    topic: string,
    query: MessageQuery,
    ask: AskOptions,
  ): Promise<ReceivedMessage[]> {
    const endpoint = this.#instance.routes.brokerAddress(brokerName)
    if (endpoint === undefined) return []
    const header = {
      topic,
      key: query.key,
      maxNum: query.maxCount ?? 32,
      beginTimestamp: Math.max(0, query.beginMs ?? 0),
      endTimestamp: query.endMs ?? Number.MAX_SAFE_INTEGER,
    }
    const answer = await this.#instance.rpc.call(queryMessage, endpoint.address, header, {
      timeoutMs: ask.timeoutMs ?? 18_000,
      signal: ask.signal,
      accept: [ResponseCode.QUERY_NOT_FOUND],
      ...(query.isMessageId ? { ext: { _UNIQUE_KEY_QUERY: 'true' } } : {}),
    })
    if (answer.command.code !== ResponseCode.SUCCESS || answer.body === undefined) return []
    return this.#messages(Buffer.from(answer.body), brokerName).filter(message =>
      query.isMessageId ? message.messageId === query.key : message.keys.includes(query.key),
    )
  }

  async #messageAt(id: string, ask: AskOptions & { topic?: string }): Promise<ReceivedMessage | undefined> {
    let place: ReturnType<typeof decodeOffsetMessageId>
    try {
      place = decodeOffsetMessageId(id)
    } catch {
      return undefined
    }
    const address = formatHost(place.host)
    if (!this.#instance.routes.brokers.hasAddress(address) && ask.topic !== undefined) return undefined
    try {
      const topic = ask.topic === undefined ? {} : { topic: this.#wire(ask.topic) }
      const header = { ...topic, offset: place.physicalOffset }
      const answer = await this.#call(viewMessageById, address, header, ask)
      return answer.body === undefined ? undefined : this.#messages(Buffer.from(answer.body), '')[0]
    } catch (error) {
      // Brokers say "not found" with the code of all errors.
      if (RocketMqError.is(error) && error.code === 'RESPONSE_ERROR') return undefined
      throw error
    }
  }

  #messages(body: Buffer, brokerName: string): ReceivedMessage[] {
    return messagesOfRecords(body, brokerName, this.#instance.options.namespace ?? '')
  }

  async #target(queue: MessageQueue) {
    const wire = { ...queue, topic: this.#wire(queue.topic) }
    const address = await this.#instance.masterOf(wire)
    return {
      address,
      header: { topic: wire.topic, queueId: queue.queueId, bname: this.#instance.routes.holderOf(wire) },
    }
  }

  #call: ClientInstance['rpc']['call'] = (api, address, header, ask) =>
    this.#instance.rpc.call(api, address, header, { timeoutMs: ask?.timeoutMs ?? 6000, signal: ask?.signal })

  async #repeat(operation: () => Promise<unknown>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await operation()
        return
      } catch (error) {
        if (tries >= createTopicTries || !RocketMqError.is(error) || error.code === 'ABORTED') throw error
      }
    }
  }

  #wire(topic: string): string {
    return withNamespace(this.#instance.options.namespace, topic)
  }
}

/** `+name=value,+name=value`; undefined without any. */
function attributesText(attributes: Record<string, string> | undefined): string | undefined {
  const entries = Object.entries(attributes ?? {})
  if (entries.length === 0) return undefined
  return entries.map(([name, value]) => `+${name}=${value}`).join(',')
}

/** When the id was made; `nowMs` when it doesn't tell. */
function uniqueIdTime(id: string, nowMs: number): number {
  try {
    return timeOfUniqueId(id, nowMs)
  } catch {
    return nowMs
  }
}
