import {
  alterAttributes,
  type DataVersion,
  initialDataVersion,
  nextDataVersion,
  perm,
  retryTopic,
  systemTopicPrefix,
  systemTopics,
  type TopicConfig,
} from '@rocketmq-ts/model'
import type { TopicConfigSerializeWrapper } from '@rocketmq-ts/protocol'
import type { Clock, Logger } from '@rocketmq-ts/runtime'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { BrokerOptions } from '../options.ts'
import { presetTopics, topicOf } from './system-topics.ts'

/** What has happened to a topic; told to whoever registers the broker with the name servers and keeps the file. */
export interface TopicChange {
  readonly kind: 'created' | 'updated' | 'deleted'
  readonly topic: TopicConfig
  /** Made by its first use, not by an administrator. */
  readonly isOnDemand: boolean
}

/** The part of a send request that may create its topic. */
export interface TopicOnSend {
  readonly topic: string
  /** The topic whose configuration is inherited, TBW102 unless the client says otherwise. */
  readonly defaultTopic: string
  /** The client's wish; the default topic's queues bound it. */
  readonly queueCount: number
  readonly remoteAddress: string
  readonly sysFlag: number
}

/**
 * The topics of this broker and their data version. One entry object per topic, replaced (never edited) by a change, so a
 * caller may keep what {@link get} gave it for the length of a request.
 */
export class TopicTable {
  readonly #options: BrokerOptions
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #topics = new Map<string, TopicConfig>()
  readonly #systemTopics = new Set<string>(Object.values(systemTopics))
  readonly #listeners: ((change: TopicChange) => void)[] = []
  #dataVersion: DataVersion

  constructor(deps: { options: BrokerOptions; clock: Clock; logger: Logger }) {
    this.#options = deps.options
    this.#clock = deps.clock
    this.#logger = deps.logger
    this.#dataVersion = initialDataVersion(deps.clock.now())
    this.ensureSystemTopics()
  }

  /** Calls `listener` after each change, in the order of subscription. */
  onChange(listener: (change: TopicChange) => void): void {
    this.#listeners.push(listener)
  }

  get size(): number {
    return this.#topics.size
  }

  get dataVersion(): DataVersion {
    return this.#dataVersion
  }

  /** The configuration of a topic; `undefined` when it doesn't exist. */
  get(name: string): TopicConfig | undefined {
    return this.#topics.get(name)
  }

  values(): IterableIterator<TopicConfig> {
    return this.#topics.values()
  }

  names(): IterableIterator<string> {
    return this.#topics.keys()
  }

  /** True for names that clients may not create, change or delete. */
  isSystem(name: string): boolean {
    return this.#systemTopics.has(name) || name.startsWith(systemTopicPrefix)
  }

  /** The names of {@link isSystem} that are known one by one. */
  systemTopicNames(): readonly string[] {
    return [...this.#systemTopics]
  }

  /**
   * Adds the topics that every broker with these settings has and that are absent; true when there were such. No data
   * version step, as in Java.
   */
  ensureSystemTopics(): boolean {
    const before = this.#topics.size
    for (const topic of presetTopics(this.#options)) {
      this.#systemTopics.add(topic.topicName)
      if (!this.#topics.has(topic.topicName)) this.#topics.set(topic.topicName, topic)
    }
    return this.#topics.size > before
  }

  /** Steps the data version, so that the name servers take over what doesn't show in a single topic. */
  countChange(): void {
    this.#dataVersion = nextDataVersion(this.#dataVersion, this.#clock.now(), this.#dataVersion.stateVersion)
  }

  /** The whole table, as it goes into topics.json. */
  snapshot(): TopicConfigSerializeWrapper {
    return { dataVersion: this.#dataVersion, topicConfigTable: this.#topics }
  }

  /** Takes over what a file or a master says; entries of the same name are replaced. */
  load(table: TopicConfigSerializeWrapper): void {
    for (const [name, topic] of table.topicConfigTable) {
      this.#topics.set(name, topic.topicName === name ? topic : { ...topic, topicName: name })
    }
    this.#dataVersion = { ...table.dataVersion }
  }

  /**
   * The topic of a send request, created when it is absent and its default topic exists and passes its configuration on.
   * `undefined`: it can't be created (answer TOPIC_NOT_EXIST).
   * Source: TopicConfigManager#createTopicInSendMessageMethod, 5.3.x
   */
  createOnSend(request: TopicOnSend): TopicConfig | undefined {
    const existing = this.#topics.get(request.topic)
    if (existing !== undefined) return existing
    const base = this.#topics.get(request.defaultTopic)
    const isOff = request.defaultTopic === systemTopics.autoCreateKey && !this.#options.autoCreateTopicEnable
    if (base === undefined || (base.perm & perm.inherit) === 0 || isOff) {
      const { topic, defaultTopic, remoteAddress } = request
      this.#logger.warn(
        { topic, defaultTopic, remoteAddress },
        'a topic was not created: its default topic does not allow it',
      )
      return undefined
    }
    const queueCount = Math.max(0, Math.min(request.queueCount, base.writeQueueNums))
    const topic: TopicConfig = {
      ...topicOf(request.topic, queueCount, base.perm & ~perm.inherit),
      topicSysFlag: request.sysFlag,
      topicFilterType: base.topicFilterType,
    }
    this.#put(topic, 'created', true)
    return topic
  }

  /** Creates `topic` unless there is one of that name; returns the one in force. */
  ensure(topic: TopicConfig): TopicConfig {
    const existing = this.#topics.get(topic.topicName)
    if (existing !== undefined) return existing
    this.#put(topic, 'created', true)
    return topic
  }

  /**
   * The retry topic of a group (`%RETRY%group`), created with `queueCount` read and write queues when absent; an existing
   * one keeps its queues and takes over the order flag.
   * Source: TopicConfigManager#createTopicInSendMessageBackMethod, 5.3.x
   */
  ensureRetryTopic(
    group: string,
    queueCount: number,
    options: { perm?: number; sysFlag?: number; order?: boolean } = {},
  ): TopicConfig {
    return this.ensureBackTopic(retryTopic(group), queueCount, options)
  }

  /** The same for any topic that the broker itself fills: retry and dead-letter topics. */
  ensureBackTopic(
    topicName: string,
    queueCount: number,
    options: { perm?: number; sysFlag?: number; order?: boolean } = {},
  ): TopicConfig {
    const { perm: permission = perm.read | perm.write, sysFlag = 0, order = false } = options
    const existing = this.#topics.get(topicName)
    if (existing === undefined) {
      return this.ensure({ ...topicOf(topicName, queueCount, permission), topicSysFlag: sysFlag, order })
    }
    if (existing.order === order) return existing
    const updated = { ...existing, order }
    this.#put(updated, 'updated')
    return updated
  }

  /**
   * Creates or changes a topic; `changes` are signed attribute changes. Throws `INVALID_ARGUMENT` for attributes that
   * aren't allowed, and then nothing has changed.
   * Source: TopicConfigManager#updateTopicConfig, 5.3.x
   */
  update(topic: TopicConfig, changes: ReadonlyMap<string, string>): TopicConfig {
    const existing = this.#topics.get(topic.topicName)
    const attributes = alterAttributes(existing === undefined, existing?.attributes ?? {}, changes)
    if (changes.has('+reserve.time')) {
      throw new RocketMqError('INVALID_ARGUMENT', 'Update topic reserveTime not supported')
    }
    const updated = { ...topic, attributes }
    this.#put(updated, existing === undefined ? 'created' : 'updated')
    return updated
  }

  /** Removes a topic; false when there was none. */
  delete(name: string): boolean {
    const topic = this.#topics.get(name)
    if (topic === undefined) return false
    this.#topics.delete(name)
    this.#changed({ kind: 'deleted', topic, isOnDemand: false })
    return true
  }

  /** Marks topics that the name servers call ordered. */
  markOrdered(names: Iterable<string>): void {
    for (const name of names) {
      const topic = this.#topics.get(name)
      if (topic !== undefined && !topic.order) this.#put({ ...topic, order: true }, 'updated')
    }
  }

  #put(topic: TopicConfig, kind: 'created' | 'updated', isOnDemand = false): void {
    this.#topics.set(topic.topicName, topic)
    this.#logger.info({ topic: topic.topicName, queues: topic.writeQueueNums, perm: topic.perm }, `topic ${kind}`)
    this.#changed({ kind, topic, isOnDemand })
  }

  #changed(change: TopicChange): void {
    this.countChange()
    for (const listener of this.#listeners) listener(change)
  }
}
