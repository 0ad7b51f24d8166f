import {
  decodeRecallHandle,
  type Message,
  propertyNames,
  sysFlag,
  type UniqueIdGenerator,
  withNamespace,
} from '@rocketmq-ts/model'
import { recallMessage } from '@rocketmq-ts/protocol'
import { type Clock, RocketMqError } from '@rocketmq-ts/runtime'
import { messageIdsOf } from '../client-id.ts'
import type { ClientInstance } from '../client-instance.ts'
import type { Compressor } from '../compression/compression.ts'
import type { ReceivedMessage } from '../consume/received-message.ts'
import { integerOption } from '../options.ts'
import type { ProducerRegistration } from '../registrations.ts'
import { TopicAdmin } from '../topic-admin.ts'
import { FaultDetector } from './fault-detector.ts'
import { LatencyFaults } from './latency-faults.ts'
import { checkedBody, checkMessage, checkPropertiesSize, prepareBatch } from './message-preparation.ts'
import { propertiesTextOf, textOfProperties } from './message-properties.ts'
import type { ResolvedProducerOptions } from './producer-options.ts'
import { type ReplyMessage, RequestReply } from './request-reply.ts'
import { SendCall } from './send-call.ts'
import { chooserOf } from './send-choosers.ts'
import type { SendResult } from './send-result.ts'
import type { BatchSendResult, RawMessage, SendOptions } from './send-types.ts'
import { Sender } from './sender.ts'
import { TopicContext } from './topic-context.ts'

/** Topics a producer remembers things about; with more, all are forgotten and learned again. */
const topicContextsMax = 20_000

let capturedResolve: (result: SendResult | undefined) => void
let capturedReject: (error: unknown) => void
/** One executor for all promises, so that a send costs no closure. */
function capture(resolve: (result: SendResult | undefined) => void, reject: (error: unknown) => void): void {
  capturedResolve = resolve
  capturedReject = reject
}

/**
 * Sends messages. Made by `createProducer`; ended by {@link close}, or at the end of an `await using` block. All its
 * calls may be made concurrently. Calls made without waiting for one another leave in the order in which they are made as
 * long as routes and connections stand.
 */
export class Producer {
  /** As given, without namespace. */
  readonly group: string
  readonly #options: ResolvedProducerOptions
  readonly #instance: ClientInstance
  readonly #clock: Clock
  readonly #sender: Sender
  readonly #ids: UniqueIdGenerator
  readonly #compressor: Compressor
  readonly #detector: FaultDetector | undefined
  readonly #registration: ProducerRegistration
  readonly #wireGroup: string
  readonly #contexts = new Map<string, TopicContext>()
  /** Added to the properties of each message. */
  readonly #moreProperties: string
  readonly #admin: TopicAdmin
  readonly #requests: RequestReply
  #isOpen = true
  #closing: Promise<void> | undefined

  /** @internal Use `createProducer`. */
  constructor(
    options: ResolvedProducerOptions,
    instance: ClientInstance,
    compressor: Compressor,
    registration: Pick<ProducerRegistration, 'checkTransaction'> = {},
  ) {
    this.group = options.group
    this.#options = options
    this.#instance = instance
    this.#clock = instance.clock
    this.#compressor = compressor
    const { namespace } = options.client
    this.#wireGroup = withNamespace(namespace, options.group)
    this.#moreProperties = namespace === undefined ? '' : textOfProperties([[propertyNames.instanceId, namespace]])
    this.#ids = messageIdsOf(this.#clock, instance.clientAddress)
    const faults = new LatencyFaults()
    this.#sender = new Sender(instance, options, faults)
    this.#detector = options.startDetectorEnable
      ? new FaultDetector(instance, faults, () => this.#contexts.values().next().value?.topic)
      : undefined
    this.#admin = new TopicAdmin(instance)
    this.#requests = new RequestReply(instance, this)
    this.#registration = {
      ...registration,
      topics: () => this.#topicsUsedLately(),
      acceptReply: command => this.#requests.accept(command),
    }
    instance.registerProducer(this.#wireGroup, this.#registration)
  }

  /** Id under which brokers know the process part this producer shares with others. */
  get clientId(): string {
    return this.#instance.clientId
  }

  /** False once {@link close} was called. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Sends that are not answered yet, those that wait for room included. */
  get pendingCount(): number {
    return this.#sender.pendingCount
  }

  /** Topics, queues, offsets and stored messages: what every client may ask. */
  get admin(): TopicAdmin {
    return this.#admin
  }

  /**
   * Sends one message. Resolves when a broker has stored it; see {@link SendResult.status} for how safely.
   * A message with `shardingKey` goes to the queue of that key. A body of bytes must not be changed before the promise
   * settles. After failures that another broker may not have, the message is sent again (`retryTimesWhenSendFailed`): it
   * may then be stored twice, with one id.
   *
   * Rejects with `INVALID_ARGUMENT` or `MESSAGE_TOO_LARGE` (the message), `NO_ROUTE` (its `details.reason` says which of the
   * causes), `NO_NAME_SERVER`, `SEND_FAILED` (`details.attempts`), `RESPONSE_ERROR` (refused in a way that retrying doesn't
   * change), `REQUEST_TIMEOUT`, `TOO_MANY_REQUESTS`, `ABORTED`, `INVALID_STATE` (closed). With `queue`, `select` or
   * `shardingKey` the error of the one attempt itself.
   */
  send(message: Message, options?: SendOptions): Promise<SendResult> {
    let call: SendCall
    try {
      call = this.#prepare(message, options, false)
    } catch (error) {
      return Promise.reject(error)
    }
    return this.#start(call, options) as Promise<SendResult>
  }

  /**
   * Sends one message without asking for an answer: one attempt; resolves when it was handed to the connection, and never
   * tells whether the broker took it. Rejects as {@link send} for what goes wrong before that.
   */
  sendOneway(message: Message, options?: SendOptions): Promise<void> {
    let call: SendCall
    try {
      call = this.#prepare(message, options, true)
    } catch (error) {
      return Promise.reject(error)
    }
    return this.#start(call, options) as Promise<unknown> as Promise<void>
  }

  /**
   * Sends messages of one topic together, as one request to one queue: all are stored or none. Not with delays. Together
   * they must not exceed `maxMessageBytes`. Rejects as {@link send}.
   */
  async sendBatch(messages: readonly Message[], options?: SendOptions): Promise<BatchSendResult> {
    this.#assertOpen()
    const batch = prepareBatch(messages, () => this.#ids.next(), this.#options.maxMessageBytes, this.#moreProperties)
    const first = messages[0]!
    const topic = this.#context(first.topic)
    const call = this.#call(
      topic,
      messages,
      batch.body,
      batch.properties,
      batch.messageIds.join(','),
      0,
      0,
      true,
      false,
    )
    call.chooser = chooserOf(topic, first, options)
    const result = (await this.#start(call, options)) as SendResult
    const offsetMessageIds = result.offsetMessageId === '' ? [] : result.offsetMessageId.split(',')
    return { ...result, messageIds: batch.messageIds, offsetMessageIds }
  }

  /**
   * Sends a message and waits for what some consumer of it replies through {@link reply}. Resolves with the reply; rejects
   * with `REQUEST_TIMEOUT` when none came in time (default 3000 ms, sending included), otherwise as {@link send}.
   */
  request(message: Message, options?: SendOptions): Promise<ReplyMessage> {
    return this.#requests.request(message, options)
  }

  /**
   * Answers a message that was sent with {@link request}. Resolves when the requester has the reply; rejects with
   * `INVALID_ARGUMENT` when `request` was sent otherwise, and as {@link send}, also when the requester is gone.
   */
  reply(request: ReceivedMessage, body: Message['body'], options?: SendOptions): Promise<SendResult> {
    return this.#requests.reply(request, body, options)
  }

  /**
   * Takes back a timer message (`delayMs`, `deliverAtMs`) that isn't delivered yet, by the `recallHandle` of its result.
   * Resolves with its messageId. Rejects with `INVALID_ARGUMENT` for what is no handle of this topic, `RESPONSE_ERROR` when
   * the broker doesn't allow it (`recallMessageEnable`) or it is too late. Since 5.3.1.
   */
  async recall(
    topic: string,
    handle: string,
    options: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<string> {
    this.#assertOpen()
    const wireTopic = this.#context(topic).topic
    const { brokerName } = decodeRecallHandle(handle)
    const address = await this.#instance.masterOf({ topic: wireTopic, brokerName, queueId: 0 })
    const header = { producerGroup: this.#wireGroup, topic: wireTopic, recallHandle: handle, bname: brokerName }
    const ask = { timeoutMs: options.timeoutMs ?? this.#options.sendTimeoutMs, signal: options.signal }
    return (await this.#instance.rpc.call(recallMessage, address, header, ask)).header.msgId
  }

  /**
   * Sends a message whose properties, reserved ones included, are taken as they are; UNIQ_KEY is added when absent. Of a
   * retry topic, RECONSUME_TIME and MAX_RECONSUME_TIMES also go into the header.
   * @internal
   */
  sendRaw(message: RawMessage, options?: SendOptions): Promise<SendResult> {
    let call: SendCall
    try {
      this.#assertOpen()
      const topic = this.#context(message.topic)
      const messageId = message.properties.get(propertyNames.uniqueKey) ?? this.#ids.next()
      const properties = new Map(message.properties).set(propertyNames.uniqueKey, messageId)
      const text = checkPropertiesSize(textOfProperties(properties) + this.#moreProperties)
      let flags = message.sysFlag ?? 0
      let body = message.body
      if ((flags & sysFlag.compressed) === 0 && this.#isCompressed(body)) {
        body = this.#compressor.compress(body)
        flags |= this.#compressor.sysFlag
      }
      call = this.#call(topic, [message], body, text, messageId, flags, message.flag, false, false)
      if (message.requestCode !== undefined) call.code = message.requestCode
      call.chooser = chooserOf(topic, message, options)
      if (message.topic.startsWith('%RETRY%')) {
        call.reconsumeTimes = Number(properties.get(propertyNames.reconsumeTime) ?? 0)
        call.maxReconsumeTimes = Number(properties.get(propertyNames.maxReconsumeTimes) ?? -1)
      }
    } catch (error) {
      return Promise.reject(error)
    }
    return this.#start(call, options) as Promise<SendResult>
  }

  /**
   * Ends the producer: takes no more sends, waits for those that are under way (their time-outs bound it), tells the
   * brokers, and closes connections that nobody else in the process uses. Idempotent; never rejects.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#isOpen = false
    this.#detector?.close()
    this.#requests.close()
    await this.#sender.drained()
    this.#sender.close()
    await this.#instance.unregisterProducer(this.#wireGroup, this.#registration)
    await this.#instance.release()
  }

  #prepare(message: Message, options: SendOptions | undefined, isOneway: boolean): SendCall {
    this.#assertOpen()
    checkMessage(message)
    const topic = this.#context(message.topic)
    let body = checkedBody(message, this.#options.maxMessageBytes)
    const messageId = message.uniqueKey ?? this.#ids.next()
    const text = propertiesTextOf(message, messageId)
    const properties = checkPropertiesSize(this.#moreProperties === '' ? text : text + this.#moreProperties)
    let flags = 0
    if (this.#isCompressed(body)) {
      body = this.#compressor.compress(body)
      flags = this.#compressor.sysFlag
    }
    const call = this.#call(topic, [message], body, properties, messageId, flags, message.flag ?? 0, false, isOneway)
    if (message.shardingKey !== undefined || options !== undefined) call.chooser = chooserOf(topic, message, options)
    return call
  }

  #isCompressed(body: Buffer): boolean {
    return body.length >= this.#options.compressBodyOverBytes
  }

  #call(
    topic: TopicContext,
    messages: readonly (Message | RawMessage)[],
    body: Buffer,
    properties: string,
    messageId: string,
    flags: number,
    messageFlag: number,
    isBatch: boolean,
    isOneway: boolean,
  ): SendCall {
    const now = this.#clock.now()
    return new SendCall(
      this.#sender,
      topic,
      messages as readonly Message[],
      body,
      properties,
      messageId,
      flags,
      messageFlag,
      now,
      isBatch,
      isOneway,
    )
  }

  #start(call: SendCall, options: SendOptions | undefined): Promise<SendResult | undefined> {
    let timeoutMs = this.#options.sendTimeoutMs
    if (options !== undefined) {
      try {
        timeoutMs = integerOption('timeoutMs', options.timeoutMs, timeoutMs, 1)
      } catch (error) {
        return Promise.reject(error)
      }
      call.signal = options.signal
    }
    call.attemptsLeft = call.chooser === undefined && !call.isOneway ? 1 + this.#options.retryTimesWhenSendFailed : 1
    const promise = new Promise(capture)
    call.resolve = capturedResolve
    call.reject = capturedReject
    this.#sender.begin(call, timeoutMs)
    return promise
  }

  #context(userTopic: string): TopicContext {
    let context = this.#contexts.get(userTopic)
    if (context === undefined) {
      context = new TopicContext(userTopic, this.#options, this.#instance.routes)
      if (this.#contexts.size >= topicContextsMax) this.#contexts.clear()
      this.#contexts.set(userTopic, context)
    }
    context.wasUsed = true
    return context
  }

  /** Topics named at start, and those sent to since the last call, which is made at each refresh of routes. */
  *#topicsUsedLately(): Iterable<string> {
    for (const topic of this.#options.topics) yield withNamespace(this.#options.client.namespace, topic)
    for (const context of this.#contexts.values()) {
      if (context.wasUsed) yield context.topic
      context.wasUsed = false
    }
  }

  #assertOpen(): void {
    if (!this.#isOpen) throw new RocketMqError('INVALID_STATE', `the producer of group "${this.group}" is closed`)
  }
}
