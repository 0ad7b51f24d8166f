import { type DataVersion, initialDataVersion, isLmq, nextDataVersion } from '@rocketmq-ts/model'
import { type Clock, type Logger, RateLimitedLog } from '@rocketmq-ts/runtime'

/** Offsets of one topic and group by queue id. */
export type QueueOffsets = Map<number, number>

/** The part of the settings that decides how offsets behave; read live. */
export interface OffsetOptions {
  readonly useServerSideResetOffset: boolean
  readonly consumerOffsetUpdateVersionStep: number
}

/** What one group has committed of one topic. */
export interface GroupOffsets {
  readonly group: string
  readonly topic: string
  readonly offsets: QueueOffsets
}

/** Queue ids kept per group and topic; commits for further ones, which no real topic has, are ignored and logged. */
const QUEUES_PER_TOPIC_MAX = 65_536

/**
 * How far each group has consumed each queue: the offset of the next message to consume. Three tables, as in Java: the
 * committed offsets (persisted), offsets that an administrator has set and that the group has not yet taken over, and
 * how far each group has pulled (for monitoring only).
 *
 * A topic or group of any name is accepted; who may commit is the handlers' concern. Bounded by what topics and groups
 * exist. Source: ConsumerOffsetManager, LmqConsumerOffsetManager, 5.3.x
 */
export class ConsumerOffsets {
  readonly #clock: Clock
  readonly #options: OffsetOptions
  readonly #warnings: RateLimitedLog
  /** group, then topic. */
  #committed = new Map<string, Map<string, QueueOffsets>>()
  #pending = new Map<string, Map<string, QueueOffsets>>()
  #pulled = new Map<string, Map<string, QueueOffsets>>()
  #commitsSinceVersion = 0
  /** Counted up every `consumerOffsetUpdateVersionStep` commits. */
  version: DataVersion
  /** True when something changed since the last save. */
  isDirty = false

  constructor(clock: Clock, logger: Logger, options: OffsetOptions) {
    this.#clock = clock
    this.#options = options
    this.#warnings = new RateLimitedLog(clock, logger)
    this.version = initialDataVersion(clock.now())
  }

  /**
   * Stores where `group` goes on. A smaller offset than the stored one is accepted (an administrator may want it) and
   * logged.
   */
  commit(group: string, topic: string, queueId: number, offset: number): void {
    const offsets = entry(this.#committed, group, topic)
    const previous = offsets.get(queueId)
    if (previous === offset) return
    if (previous === undefined && offsets.size >= QUEUES_PER_TOPIC_MAX) {
      this.#warnings.warn('full', { group, topic, queueId }, 'a consumer offset is ignored: too many queue ids')
      return
    }
    offsets.set(queueId, offset)
    this.isDirty = true
    if (previous !== undefined && offset < previous) {
      this.#warnings.warn('back', { group, topic, queueId, from: previous, to: offset }, 'a consumer offset moves back')
    }
    if (++this.#commitsSinceVersion >= this.#options.consumerOffsetUpdateVersionStep) {
      this.#commitsSinceVersion = 0
      this.version = nextDataVersion(this.version, this.#clock.now())
    }
  }

  /** The reset offset while one is pending, else the committed one, else -1. */
  query(group: string, topic: string, queueId: number): number {
    if (this.#pending.size > 0 && this.#options.useServerSideResetOffset) {
      const reset = this.#pending.get(group)?.get(topic)?.get(queueId)
      if (reset !== undefined) return reset
    }
    return this.#committed.get(group)?.get(topic)?.get(queueId) ?? -1
  }

  /** The committed offsets of all queues, or undefined. Not to be changed by the caller. */
  offsetsOf(group: string, topic: string): ReadonlyMap<number, number> | undefined {
    return this.#committed.get(group)?.get(topic)
  }

  /** Remembers how far `group` has pulled. */
  notePulled(group: string, topic: string, queueId: number, offset: number): void {
    entry(this.#pulled, group, topic).set(queueId, offset)
  }

  /** How far `group` has pulled, else {@link ConsumerOffsets.query}. */
  queryPulled(group: string, topic: string, queueId: number): number {
    return this.#pulled.get(group)?.get(topic)?.get(queueId) ?? this.query(group, topic, queueId)
  }

  /**
   * Sets the offset at which `group` goes on, whether it is online or not. Until its next pull of the queue, which is
   * answered with this offset, its own commits are ignored. Nothing happens for a negative queue id or offset.
   */
  assignReset(group: string, topic: string, queueId: number, offset: number): void {
    if (topic === '' || group === '' || queueId < 0 || offset < 0) return
    entry(this.#pending, group, topic).set(queueId, offset)
    entry(this.#committed, group, topic).set(queueId, offset)
    this.isDirty = true
  }

  /** True while {@link ConsumerOffsets.assignReset}'s offset is not yet taken over. */
  hasReset(group: string, topic: string, queueId: number): boolean {
    if (this.#pending.size === 0) return false
    return this.#pending.get(group)?.get(topic)?.has(queueId) ?? false
  }

  /** The pending reset offset, which is pending no more; -1 when there is none. */
  takeReset(group: string, topic: string, queueId: number): number {
    if (this.#pending.size === 0) return -1
    const topics = this.#pending.get(group)
    const offsets = topics?.get(topic)
    const offset = offsets?.get(queueId)
    if (topics === undefined || offsets === undefined || offset === undefined) return -1
    offsets.delete(queueId)
    if (offsets.size === 0) topics.delete(topic)
    if (topics.size === 0) this.#pending.delete(group)
    return offset
  }

  /** Topics of which `group` has committed offsets. */
  topicsOf(group: string): string[] {
    return [...(this.#committed.get(group)?.keys() ?? [])]
  }

  /** Groups that have committed offsets of `topic`. */
  groupsOf(topic: string): string[] {
    const groups: string[] = []
    for (const [group, topics] of this.#committed) if (topics.has(topic)) groups.push(group)
    return groups
  }

  /** Forgets everything about `group`, pending resets and pull offsets included. */
  removeGroup(group: string): void {
    if (this.#committed.delete(group)) this.isDirty = true
    this.#pending.delete(group)
    this.#pulled.delete(group)
  }

  /** Forgets everything about `topic`, in every group, pending resets and pull offsets included. */
  removeTopic(topic: string): void {
    if (removeTopicFrom(this.#committed, topic)) this.isDirty = true
    removeTopicFrom(this.#pending, topic)
    removeTopicFrom(this.#pulled, topic)
  }

  /** Gives `to` a copy of the offsets that `from` has committed of `topic`. */
  cloneGroup(from: string, to: string, topic: string): void {
    const offsets = this.offsetsOf(from, topic)
    if (offsets === undefined) return
    const copy = entry(this.#committed, to, topic)
    copy.clear()
    for (const [queueId, offset] of offsets) copy.set(queueId, offset)
    this.isDirty = true
  }

  /** The smallest committed offset per queue over all groups, those below the queue's minimum left out. */
  smallestOf(topic: string, minOffsetOf: (queueId: number) => number): Map<number, number> {
    const smallest = new Map<number, number>()
    for (const topics of this.#committed.values()) {
      for (const [queueId, offset] of topics.get(topic) ?? []) {
        if (offset < minOffsetOf(queueId)) continue
        smallest.set(queueId, Math.min(offset, smallest.get(queueId) ?? offset))
      }
    }
    return smallest
  }

  /** Every committed offset. `isLight` tells the groups that go into the light table of lmqConsumerOffset.json. */
  *entries(): Generator<{ group: string; topic: string; offsets: ReadonlyMap<number, number>; isLight: boolean }> {
    for (const [group, topics] of this.#committed) {
      const isLight = isLmq(group)
      for (const [topic, offsets] of topics) yield { group, topic, offsets, isLight }
    }
  }

  /** Replaces all committed offsets, as after loading a file. */
  replaceAll(
    entries: Iterable<{ group: string; topic: string; offsets: QueueOffsets }>,
    version: DataVersion | undefined,
  ): void {
    const committed = new Map<string, Map<string, QueueOffsets>>()
    for (const { group, topic, offsets } of entries) {
      const target = entry(committed, group, topic)
      for (const [queueId, offset] of offsets) target.set(queueId, offset)
    }
    this.#committed = committed
    if (version !== undefined) this.version = version
    this.isDirty = false
  }
}

function entry(table: Map<string, Map<string, QueueOffsets>>, group: string, topic: string): QueueOffsets {
  let topics = table.get(group)
  if (topics === undefined) {
    topics = new Map()
    table.set(group, topics)
  }
  let offsets = topics.get(topic)
  if (offsets === undefined) {
    offsets = new Map()
    topics.set(topic, offsets)
  }
  return offsets
}

function removeTopicFrom(table: Map<string, Map<string, QueueOffsets>>, topic: string): boolean {
  let removed = false
  for (const [group, topics] of table) {
    if (topics.delete(topic)) removed = true
    if (topics.size === 0) table.delete(group)
  }
  return removed
}
