import {
  decodeProperties,
  encodeOffsetMessageId,
  findProperty,
  formatHost,
  type Host,
  magicV1,
  propertyNames,
  readInt32,
  readInt64,
  recordLayout,
  sysFlag,
} from '@rocketmq-ts/model/internal'
import { decompressBody } from '../compression/compression.ts'
import { bodyPosition, type PulledBatch } from './pulled-batch.ts'

const retryPrefix = '%RETRY%'

/**
 * One message as a consumer sees it: a view of the pulled bytes, read when asked for, so that a message costs little more
 * than what the handler looks at.
 *
 * A view keeps the bytes of its whole pull alive (at most a few hundred KiB). Keep `Buffer.from(message.body)` rather than
 * messages in long-lived tables.
 */
export class ReceivedMessage {
  /** Position in the queue. */
  readonly queueOffset: number
  /** How often the message was given to the group before: 0 at first. */
  reconsumeTimes: number
  /** The pull that brought it. */
  readonly batch: PulledBatch
  /** Its place among the records of the pull. */
  readonly index: number
  private readonly buffer: Buffer
  private readonly start: number
  private readonly bodyAt: number
  private cachedBody: Buffer | undefined = undefined
  private cachedPropertiesText: string | undefined = undefined
  private cachedProperties: Map<string, string> | undefined = undefined

  /** Made by consumers only. */
  constructor(batch: PulledBatch, index: number) {
    const { body, from } = batch
    const start = batch.starts[index]!
    this.batch = batch
    this.index = index
    this.buffer = body
    this.start = start
    this.bodyAt = bodyPosition(body, start)
    this.queueOffset = readInt64(body, start + recordLayout.queueOffset) + from.offsetDelta
    this.reconsumeTimes = readInt32(body, this.bodyAt - 16)
  }

  /** The topic the user subscribed: namespace removed, and of a retried message the one it was first sent to. */
  get topic(): string {
    const { queue, topic, namespace } = this.batch.from
    const original = queue.topic.startsWith(retryPrefix) ? this.property(propertyNames.retryTopic) : undefined
    if (original === undefined) return topic
    return namespace !== '' && original.startsWith(`${namespace}%`) ? original.slice(namespace.length + 1) : original
  }

  /** The topic in the record itself: `%RETRY%group` for a retried message, the parent for a light queue. */
  get storedTopic(): string {
    const at = this.topicAt
    return this.buffer.toString('utf8', at, at + this.topicLength)
  }

  get brokerName(): string {
    return this.batch.from.queue.brokerName
  }

  get queueId(): number {
    return this.batch.from.queue.queueId
  }

  /** Position in the broker's commit log. */
  get physicalOffset(): number {
    return readInt64(this.buffer, this.start + recordLayout.physicalOffset)
  }

  /** System flag as stored; see `sysFlag` of the model. */
  get sysFlag(): number {
    return readInt32(this.buffer, this.start + recordLayout.sysFlag)
  }

  /** The producer's own flag. */
  get flag(): number {
    return readInt32(this.buffer, this.start + recordLayout.flag)
  }

  /** Milliseconds since 1970 on the producer's clock. */
  get bornTimestamp(): number {
    return readInt64(this.buffer, this.start + recordLayout.bornTimestamp)
  }

  /** Milliseconds since 1970 on the broker's clock. */
  get storeTimestamp(): number {
    return readInt64(this.buffer, this.storeHostAt - 8)
  }

  /** Messages behind this one in its queue when it was pulled. */
  get backlog(): number {
    return Math.max(0, this.batch.from.maxOffset - 1 - this.queueOffset)
  }

  /**
   * The producer's bytes, decompressed. The same Buffer at each call; don't change it.
   * Throws `DECOMPRESS_FAILED` when the body isn't what the system flag says.
   */
  get body(): Buffer {
    if (this.cachedBody === undefined) this.cachedBody = decompressBody(this.storedBody, this.sysFlag)
    return this.cachedBody
  }

  /** The body as it travelled, perhaps compressed. */
  get storedBody(): Buffer {
    return this.buffer.subarray(this.bodyAt, this.bodyAt + this.bodyLength)
  }

  /** The body read as UTF-8. Throws as {@link body}. */
  text(): string {
    return this.body.toString('utf8')
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
      const lengthAt = this.topicAt + this.topicLength
      const end = lengthAt + 2 + this.buffer.readUInt16BE(lengthAt)
      this.cachedPropertiesText = this.buffer.toString('utf8', lengthAt + 2, end)
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

  /** The id the producer got from `send`: kept through retries. {@link offsetMessageId} when the producer gave none. */
  get messageId(): string {
    return this.property(propertyNames.uniqueKey) ?? this.offsetMessageId
  }

  /** The id that names broker and commit-log position: another one for each retry. */
  get offsetMessageId(): string {
    return encodeOffsetMessageId(this.host(this.storeHostAt, sysFlag.storeHostV6), this.physicalOffset)
  }

  /** `ip:port` of the producer as the broker saw it. */
  get bornHost(): string {
    return formatHost(this.host(this.start + recordLayout.bornHost, sysFlag.bornHostV6))
  }

  /** `ip:port` of the broker. */
  get storeHost(): string {
    return formatHost(this.host(this.storeHostAt, sysFlag.storeHostV6))
  }

  private get bodyLength(): number {
    return readInt32(this.buffer, this.bodyAt - 4)
  }

  private get isV1(): boolean {
    return readInt32(this.buffer, this.start + recordLayout.magic) === magicV1
  }

  private get topicAt(): number {
    return this.bodyAt + this.bodyLength + (this.isV1 ? 1 : 2)
  }

  private get topicLength(): number {
    const lengthAt = this.bodyAt + this.bodyLength
    return this.isV1 ? this.buffer[lengthAt]! : this.buffer.readUInt16BE(lengthAt)
  }

  private get storeHostAt(): number {
    return this.bodyAt - 16 - ((this.sysFlag & sysFlag.storeHostV6) === 0 ? 8 : 20)
  }

  private host(at: number, v6Flag: number): Host {
    const portAt = at + ((this.sysFlag & v6Flag) === 0 ? 4 : 16)
    return { address: this.buffer.subarray(at, portAt), port: readInt32(this.buffer, portAt) }
  }
}

/** Takes what an iterator's user decides about a message. */
export interface Delivery {
  ack(message: DeliveredMessage): void
  retry(message: DeliveredMessage, delayLevel: number): void
}

/** A message out of `consumer.messages()`: its user says when it is done. */
export class DeliveredMessage extends ReceivedMessage {
  /** When it was handed out, on the monotonic clock. Owned by the consume service. */
  deliveredMs = 0
  /** Undefined while it isn't with the user. Owned by the consume service. */
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

/** Which class a consumer's messages are made of. */
export type MessageClass<M extends ReceivedMessage> = new (batch: PulledBatch, index: number) => M

/** Messages of all records of a batch. */
export function messagesOf<M extends ReceivedMessage>(batch: PulledBatch, messageClass: MessageClass<M>): M[] {
  return batch.starts.map((_start, index) => new messageClass(batch, index))
}
