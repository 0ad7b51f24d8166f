import { formatHost } from './host.ts'
import { encodeOffsetMessageId } from './message-id.ts'
import { decodeProperties, findProperty } from './properties.ts'
import { keySeparator, propertyNames } from './property-names.ts'
import type { StoredMessage } from './stored-message.ts'
import { sysFlag } from './sys-flag.ts'

/** What differs from the stored form in the eyes of a consumer. */
export interface ReceivedMessageOptions {
  /** The decompressed body, where the stored one is compressed. */
  readonly body?: Buffer
  /** The topic without namespace, or the original topic of a retry message. */
  readonly topic?: string
  readonly brokerName?: string
}

/** A message as a consumer sees it. Properties, ids and hosts are computed when first asked for. */
export class ReceivedMessage {
  readonly topic: string
  readonly brokerName: string
  readonly queueId: number
  readonly queueOffset: number
  readonly body: Buffer
  /** How often it was given back before. */
  readonly reconsumeTimes: number
  /** ms since 1970 by the producer's clock. */
  readonly bornTimestamp: number
  /** ms since 1970 by the broker's clock. */
  readonly storeTimestamp: number
  /** The record this was made of. */
  readonly stored: StoredMessage
  private cachedProperties: Map<string, string> | undefined

  constructor(stored: StoredMessage, options: ReceivedMessageOptions = {}) {
    this.topic = options.topic ?? stored.topic
    this.brokerName = options.brokerName ?? ''
    this.queueId = stored.queueId
    this.queueOffset = stored.queueOffset
    this.body = options.body ?? stored.body
    this.reconsumeTimes = stored.reconsumeTimes
    this.bornTimestamp = stored.bornTimestamp
    this.storeTimestamp = stored.storeTimestamp
    this.stored = stored
    this.cachedProperties = undefined
  }

  /** The producer's id of the message, or its offset id when it has none. */
  get messageId(): string {
    return this.property(propertyNames.uniqueKey) ?? this.offsetMessageId
  }

  /** The id that names the place where the broker stored it. */
  get offsetMessageId(): string {
    return encodeOffsetMessageId(this.stored.storeHost, this.stored.physicalOffset)
  }

  get tags(): string | undefined {
    return this.property(propertyNames.tags)
  }

  get keys(): string[] {
    const text = this.property(propertyNames.keys)
    return text === undefined ? [] : text.split(keySeparator).filter(key => key !== '')
  }

  get shardingKey(): string | undefined {
    return this.property(propertyNames.shardingKey)
  }

  get flag(): number {
    return this.stored.flag
  }

  /** The system flag; bit 0 is cleared because the body is no longer compressed. */
  get sysFlag(): number {
    return this.stored.sysFlag & ~sysFlag.compressed
  }

  /** `ip:port` of the producer. */
  get bornHost(): string {
    return formatHost(this.stored.bornHost)
  }

  /** `ip:port` of the broker. */
  get storeHost(): string {
    return formatHost(this.stored.storeHost)
  }

  /** All properties, RocketMQ's own included. */
  get properties(): ReadonlyMap<string, string> {
    this.cachedProperties ??= decodeProperties(this.stored.propertiesText)
    return this.cachedProperties
  }

  /** The body read as UTF-8. */
  text(): string {
    return this.body.toString('utf8')
  }

  /** The value of one property, without reading all. */
  property(name: string): string | undefined {
    return this.cachedProperties === undefined
      ? findProperty(this.stored.propertiesText, name)
      : this.cachedProperties.get(name)
  }
}
