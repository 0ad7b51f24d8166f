import {
  decodeProperties,
  encodeOffsetMessageId,
  findProperty,
  formatHost,
  type Host,
  type MessageQueue,
  propertyNames,
  sysFlag,
} from '@rocketmq-ts/model'
import { decompressBody } from '../compression/compression.ts'

/** What the messages of one pull share. Their bytes live until the last of them is finished. */
export class PulledBatch {
  /** Queue they were pulled from, topic as on the wire. */
  readonly queue: MessageQueue
  /** Topic for the user: without namespace; of a retry queue see {@link ReceivedMessage.topic}. */
  readonly topic: string
  /** Namespace to take off the topics inside retried messages; empty for none. */
  readonly namespace: string
  /** Bytes kept in memory. */
  readonly bytes: number
  /** Bounds of the queue when the pull was answered; `maxOffset` is one above the newest message. */
  readonly minOffset: number
  readonly maxOffset: number
  /** Messages in a process queue that are not finished. Counted by it. */
  unfinished = 0

  constructor(
    queue: MessageQueue,
    options: { topic: string; namespace: string; bytes: number; minOffset: number; maxOffset: number },
  ) {
    this.queue = queue
    this.topic = options.topic
    this.namespace = options.namespace
    this.bytes = options.bytes
    this.minOffset = options.minOffset
    this.maxOffset = options.maxOffset
  }
}

/**
 * One message as a consumer sees it: a view of the pulled bytes. Numbers are read when the pull is decoded; body,
 * properties, hosts and ids when first asked for, so that a message costs little more than what the handler looks at.
 *
 * A view keeps the bytes of its whole pull alive (at most a few hundred KiB). Keep `Buffer.from(message.body)` rather than
 * messages in long-lived tables.
 */
export class ReceivedMessage {
  /** Position in the queue. */
  readonly queueOffset: number
  /** Position in the broker's commit log. */
  readonly physicalOffset: number
  /** System flag as stored; see `sysFlag` of the model. */
  readonly sysFlag: number
  /** The producer's own flag. */
  readonly flag: number
  /** Milliseconds since 1970 on the producer's clock. */
  readonly bornTimestamp: number
  /** Milliseconds since 1970 on the broker's clock. */
  readonly storeTimestamp: number
  /** How often the message was given to the group before: 0 at first. */
  reconsumeTimes: number
  /** The pull that brought it. */
  readonly batch: PulledBatch
  /** Place in its process queue. Owned by it. */
  sequence = 0
  /** When it was given to the user, on the wall clock; 0 before. Owned by the consume service. */
  consumeStartedAtMs = 0

  private readonly buffer: Buffer
  private readonly hostsAt: number
  private readonly bodyAt: number
  private readonly bodyLength: number
  private readonly topicAt: number
  private readonly topicLength: number
  private readonly propertiesAt: number
  private readonly propertiesLength: number
  private cachedBody: Buffer | undefined = undefined
  private cachedPropertiesText: string | undefined = undefined
  private cachedProperties: Map<string, string> | undefined = undefined

  /** Only the decoder makes messages. */
  constructor(batch: PulledBatch, buffer: Buffer, place: RecordPlace) {
    this.queueOffset = place.queueOffset
    this.physicalOffset = place.physicalOffset
    this.sysFlag = place.sysFlag
    this.flag = place.flag
    this.bornTimestamp = place.bornTimestamp
    this.storeTimestamp = place.storeTimestamp
    this.reconsumeTimes = place.reconsumeTimes
    this.batch = batch
    this.buffer = buffer
    this.hostsAt = place.hostsAt
    this.bodyAt = place.bodyAt
    this.bodyLength = place.bodyLength
    this.topicAt = place.topicAt
    this.topicLength = place.topicLength
    this.propertiesAt = place.propertiesAt
    this.propertiesLength = place.propertiesLength
  }

  /**
   * The topic the user subscribed: namespace removed, and of a retried message the one it was first sent to.
   */
  get topic(): string {
    const batch = this.batch
    const original = batch.queue.topic.startsWith('%RETRY%') ? this.property(propertyNames.retryTopic) : undefined
    if (original === undefined) return batch.topic
    const prefix = `${batch.namespace}%`
    return batch.namespace !== '' && original.startsWith(prefix) ? original.slice(prefix.length) : original
  }

  /** The topic in the record itself: `%RETRY%group` for a retried message, the parent for a light queue. */
  get storedTopic(): string {
    return this.buffer.toString('utf8', this.topicAt, this.topicAt + this.topicLength)
  }

  get brokerName(): string {
    return this.batch.queue.brokerName
  }

  get queueId(): number {
    return this.batch.queue.queueId
  }

  /**
   * The producer's bytes, decompressed. The same Buffer at each call; don't change it.
   * Throws `DECOMPRESS_FAILED` when the body isn't what the system flag says.
   */
  get body(): Buffer {
    if (this.cachedBody === undefined) {
      this.cachedBody = decompressBody(this.storedBody, this.sysFlag)
    }
    return this.cachedBody
  }

  /** The body as it travelled, perhaps compressed. */
  get storedBody(): Buffer {
    return this.buffer.subarray(this.bodyAt, this.bodyAt + this.bodyLength)
  }

  /** All properties, those of the system included. Don't change it. */
  get properties(): ReadonlyMap<string, string> {
    this.cachedProperties ??= decodeProperties(this.propertiesText)
    return this.cachedProperties
  }

  /** One property; cheaper than {@link properties} when only one is of interest. */
  property(name: string): string | undefined {
    if (this.cachedProperties !== undefined) return this.cachedProperties.get(name)
    return findProperty(this.propertiesText, name)
  }

  /** Properties in the form of the wire. */
  get propertiesText(): string {
    if (this.cachedPropertiesText === undefined) {
      const end = this.propertiesAt + this.propertiesLength
      this.cachedPropertiesText = this.buffer.toString('utf8', this.propertiesAt, end)
    }
    return this.cachedPropertiesText
  }

  /** The tag; undefined without one. */
  get tags(): string | undefined {
    return this.property(propertyNames.tags)
  }

  /** The keys by which the message can be queried; empty without. */
  get keys(): string[] {
    const text = this.property(propertyNames.keys)
    return text === undefined ? [] : text.split(' ').filter(key => key !== '')
  }

  /** The key by which the producer chose the queue; undefined without one. */
  get shardingKey(): string | undefined {
    return this.property(propertyNames.shardingKey)
  }

  /** The body read as UTF-8. Throws as {@link body}. */
  text(): string {
    return this.body.toString('utf8')
  }

  /** The id the producer got from `send`: kept through retries. {@link offsetMessageId} when the producer gave none. */
  get messageId(): string {
    return this.property(propertyNames.uniqueKey) ?? this.offsetMessageId
  }

  /** The id that names broker and commit-log position: another one for each retry. */
  get offsetMessageId(): string {
    return encodeOffsetMessageId(this.host(this.storeHostAt, this.storeHostLength), this.physicalOffset)
  }

  /** `ip:port` of the producer as the broker saw it. */
  get bornHost(): string {
    return formatHost(this.host(this.hostsAt, this.bornHostLength))
  }

  /** `ip:port` of the broker. */
  get storeHost(): string {
    return formatHost(this.host(this.storeHostAt, this.storeHostLength))
  }

  private get bornHostLength(): number {
    return (this.sysFlag & sysFlag.bornHostV6) === 0 ? 4 : 16
  }

  private get storeHostLength(): number {
    return (this.sysFlag & sysFlag.storeHostV6) === 0 ? 4 : 16
  }

  private get storeHostAt(): number {
    return this.hostsAt + this.bornHostLength + 4 + 8
  }

  private host(at: number, length: number): Host {
    return { address: this.buffer.subarray(at, at + length), port: this.buffer.readInt32BE(at + length) }
  }
}

/** Where the parts of one record are in its buffer, and its numbers. Reused by the decoder from message to message. */
export interface RecordPlace {
  queueOffset: number
  physicalOffset: number
  sysFlag: number
  flag: number
  bornTimestamp: number
  storeTimestamp: number
  reconsumeTimes: number
  hostsAt: number
  bodyAt: number
  bodyLength: number
  topicAt: number
  topicLength: number
  propertiesAt: number
  propertiesLength: number
}

/** Takes what an iterator's user decides about a message. */
export interface Delivery {
  ack(message: DeliveredMessage): void
  retry(message: DeliveredMessage, delayLevel: number): void
}

/** A message out of `consumer.messages()`: its user says when it is done. */
export class DeliveredMessage extends ReceivedMessage {
  /** Undefined before it was handed out. Owned by the consume service. */
  delivery: Delivery | undefined = undefined

  /**
   * The message is done; the group's offset may pass it. A second call, and a call after the queue went to another member
   * or the message's time was up, does nothing.
   */
  ack(): void {
    this.delivery?.ack(this)
  }

  /**
   * Asks for the message again later. `delayLevel` 0 (default) leaves the delay to the broker, which lengthens it with each
   * retry; 1 to 18 choose one; -1 sends the message to the dead letters. In broadcasting the message is dropped.
   */
  retry(options: { delayLevel?: number } = {}): void {
    this.delivery?.retry(this, options.delayLevel ?? 0)
  }
}
