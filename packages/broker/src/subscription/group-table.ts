import {
  type DataVersion,
  defaultSubscriptionGroup,
  GROUP_MAX_LENGTH,
  hasLegalCharacters,
  initialDataVersion,
  isSystemGroup,
  nextDataVersion,
  presetGroups,
  type SubscriptionGroupConfig,
} from '@rocketmq-ts/model'
import type { SubscriptionGroupWrapper } from '@rocketmq-ts/protocol'
import { type Clock, type Logger, RocketMqError } from '@rocketmq-ts/runtime'
import type { BrokerOptions } from '../options.ts'

/** Bit of a forbidden value that stops reading a topic. */
export const forbiddenReadIndex = 2

/** The subscription groups of this broker, which topics they may not read, and their data version. */
export class SubscriptionGroupTable {
  readonly #options: BrokerOptions
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #groups = new Map<string, SubscriptionGroupConfig>()
  readonly #forbidden = new Map<string, Map<string, number>>()
  readonly #listeners: ((isOnDemand: boolean) => void)[] = []
  #dataVersion: DataVersion

  constructor(deps: { options: BrokerOptions; clock: Clock; logger: Logger }) {
    this.#options = deps.options
    this.#clock = deps.clock
    this.#logger = deps.logger
    this.#dataVersion = initialDataVersion(deps.clock.now())
    for (const name of presetGroups) this.#groups.set(name, defaultSubscriptionGroup(name))
  }

  /** Calls `listener` after each change. */
  onChange(listener: (isOnDemand: boolean) => void): void {
    this.#listeners.push(listener)
  }

  get size(): number {
    return this.#groups.size
  }

  get dataVersion(): DataVersion {
    return this.#dataVersion
  }

  values(): IterableIterator<SubscriptionGroupConfig> {
    return this.#groups.values()
  }

  has(group: string): boolean {
    return this.#groups.has(group)
  }

  /**
   * The configuration of a group. An unknown one is created when `autoCreateSubscriptionGroup` is on (or it is a system
   * group and `enableCreateSysGroup` is on) and its name is legal; otherwise `undefined` (answer SUBSCRIPTION_GROUP_NOT_EXIST).
   * Source: SubscriptionGroupManager#findSubscriptionGroupConfig, 5.3.x
   */
  find(group: string): SubscriptionGroupConfig | undefined {
    const existing = this.#groups.get(group)
    if (existing !== undefined) return existing
    const isSystem = isSystemGroup(group) && this.#options.enableCreateSysGroup
    if (!this.#options.autoCreateSubscriptionGroup && !isSystem) return undefined
    if (group.length > GROUP_MAX_LENGTH || !hasLegalCharacters(group)) return undefined
    const created = defaultSubscriptionGroup(group)
    this.#groups.set(group, created)
    this.#logger.info({ group }, 'subscription group created by its first use')
    this.#changed(true)
    return created
  }

  /**
   * Creates or replaces a group; its attributes are signed changes. Throws `INVALID_ARGUMENT` when they aren't allowed, and
   * then nothing has changed.
   */
  update(config: SubscriptionGroupConfig): SubscriptionGroupConfig {
    const existing = this.#groups.get(config.groupName)
    for (const name of Object.keys(config.attributes)) {
      // 5.3 declares no attribute for groups.
      throw new RocketMqError('INVALID_ARGUMENT', `unsupported key: ${name.slice(1)}`)
    }
    const updated = { ...config, attributes: existing?.attributes ?? {} }
    this.#groups.set(config.groupName, updated)
    this.#logger.info(
      { group: config.groupName },
      existing === undefined ? 'subscription group created' : 'subscription group updated',
    )
    this.#changed()
    return updated
  }

  /** Stops a group from consuming, as the slow-consumer switch does. */
  disableConsume(group: string): void {
    const existing = this.#groups.get(group)
    if (existing === undefined) return
    this.#groups.set(group, { ...existing, consumeEnable: false })
    this.#changed()
  }

  /** Removes a group with its forbidden topics; false when there was none. */
  delete(group: string): boolean {
    this.#forbidden.delete(group)
    if (!this.#groups.delete(group)) return false
    this.#changed()
    return true
  }

  /** The forbidden bits of a group for a topic; 0 when nothing is forbidden. */
  forbiddenBits(group: string, topic: string): number {
    return Math.max(0, this.#forbidden.get(group)?.get(topic) ?? 0)
  }

  /** True when the group may not read the topic. */
  isReadForbidden(group: string, topic: string): boolean {
    return (this.forbiddenBits(group, topic) & (1 << forbiddenReadIndex)) !== 0
  }

  /** Sets or clears one forbidden bit. Only the named topic is touched (Java forgets all topics of the group on clearing). */
  setForbidden(group: string, topic: string, bitIndex: number, isForbidden: boolean): void {
    const before = this.forbiddenBits(group, topic)
    const bits = isForbidden ? before | (1 << bitIndex) : before & ~(1 << bitIndex)
    if (bits === before) return
    let topics = this.#forbidden.get(group)
    if (topics === undefined) {
      topics = new Map()
      this.#forbidden.set(group, topics)
    }
    if (bits > 0) topics.set(topic, bits)
    else topics.delete(topic)
    if (topics.size === 0) this.#forbidden.delete(group)
    this.#changed()
  }

  /** The whole table, as it goes into subscriptionGroup.json and to whoever asks for all groups. */
  snapshot(): SubscriptionGroupWrapper {
    return {
      dataVersion: this.#dataVersion,
      forbiddenTable: this.#forbidden,
      subscriptionGroupTable: this.#groups,
    }
  }

  /** Takes over what a file or a master says; entries of the same name are replaced. */
  load(table: SubscriptionGroupWrapper): void {
    for (const [name, group] of table.subscriptionGroupTable) {
      this.#groups.set(name, group.groupName === name ? group : { ...group, groupName: name })
    }
    for (const [group, topics] of table.forbiddenTable ?? []) this.#forbidden.set(group, new Map(topics))
    this.#dataVersion = { ...table.dataVersion }
  }

  #changed(isOnDemand = false): void {
    this.#dataVersion = nextDataVersion(this.#dataVersion, this.#clock.now(), this.#dataVersion.stateVersion)
    for (const listener of this.#listeners) listener(isOnDemand)
  }
}
