import { BloomFilter, compileSelection, type Selection } from '@rocketmq-ts/filter'
import type { SubscriptionData } from '@rocketmq-ts/model'
import type { ConsumerFilterWrapper } from '@rocketmq-ts/protocol'
import type { Clock, Logger } from '@rocketmq-ts/runtime'
import { SelectionFilter } from './selection-filter.ts'

/** Selections kept at most; a group beyond them is answered as one whose expression is wrong. */
const SELECTIONS_MAX = 100_000
/** What is read from the file was in use this long ago at the latest, ms. */
const LOADED_DEAD_FOR_MS = 30_000

/** One group's selection of one topic. */
export interface FilterData {
  readonly topic: string
  readonly group: string
  readonly expression: string
  /** The highest subscription version seen. */
  clientVersion: number
  /** Since when bit maps of messages know it, ms. */
  readonly bornTimeMs: number
  /** When its group left; 0 while it is there. */
  deadTimeMs: number
  readonly positions: readonly number[]
  readonly filter: SelectionFilter
}

/** Read live, but for the two numbers of the Bloom filter. */
export interface FilterTableOptions {
  readonly maxErrorRateOfBloomFilter: number
  readonly expectConsumerNumUseFilter: number
  readonly filterDataCleanTimeSpanMs: number
  readonly enableCalcFilterBitMap: boolean
}

type Registration = Pick<SubscriptionData, 'topic' | 'subString' | 'expressionType' | 'subVersion'>

/**
 * The SQL92 selections of groups, filled by heartbeats. A group that leaves stays known, "dead", for
 * `filterDataCleanTimeSpan`, so that bit maps go on being made for it and it finds them when it comes back.
 * Source: ConsumerFilterManager, ConsumerFilterData, 5.3.x
 */
export class FilterTable {
  readonly bloomFilter: BloomFilter
  /** Something has changed since the last save. */
  isDirty = false
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #options: FilterTableOptions
  /** Topic, then group. */
  readonly #byTopic = new Map<string, Map<string, FilterData>>()
  /** Group, then topic. */
  readonly #byGroup = new Map<string, Map<string, FilterData>>()
  #size = 0

  constructor(clock: Clock, logger: Logger, options: FilterTableOptions) {
    this.#clock = clock
    this.#logger = logger
    this.#options = options
    this.bloomFilter = new BloomFilter(options.maxErrorRateOfBloomFilter, options.expectConsumerNumUseFilter)
  }

  get size(): number {
    return this.#size
  }

  get(topic: string, group: string): FilterData | undefined {
    return this.#byGroup.get(group)?.get(topic)
  }

  /** Takes in all that a group subscribes to; its selections of other topics are dead from now on. */
  register(group: string, subscriptions: readonly Registration[]): void {
    for (const subscription of subscriptions) this.#registerOne(group, subscription)
    const known = this.#byGroup.get(group)
    if (known === undefined) return
    for (const data of known.values()) {
      if (!subscriptions.some(subscription => subscription.topic === data.topic)) this.#kill(data)
    }
  }

  /** The group has no member any more. */
  unregister(group: string): void {
    for (const data of this.#byGroup.get(group)?.values() ?? []) this.#kill(data)
  }

  /**
   * Which groups of the topic select a message, dead ones included; undefined when there is none to ask, or bit maps aren't
   * wanted. Source: CommitLogDispatcherCalcBitMap, 5.3.x
   */
  bitMapOf(topic: string, propertiesText: string): Buffer | undefined {
    const groups = this.#byTopic.get(topic)
    if (groups === undefined || !this.#options.enableCalcFilterBitMap) return undefined
    const map = this.bloomFilter.newMap()
    for (const data of groups.values()) {
      if (data.filter.matchesProperties(propertiesText)) this.bloomFilter.add(map, data.positions)
    }
    return map
  }

  /** Forgets what has been dead for long enough. */
  clean(): void {
    const limit = this.#clock.now() - this.#options.filterDataCleanTimeSpanMs
    for (const groups of [...this.#byTopic.values()]) {
      for (const data of [...groups.values()]) if (isDead(data) && data.deadTimeMs <= limit) this.#remove(data)
    }
  }

  /** The content of consumerFilter.json. */
  snapshot(): ConsumerFilterWrapper {
    const filterDataByTopic = new Map<string, { topic: string; groupFilterData: Map<string, StoredData> }>()
    for (const [topic, groups] of this.#byTopic) {
      const groupFilterData = new Map<string, StoredData>()
      for (const [group, data] of groups) groupFilterData.set(group, this.#stored(data))
      filterDataByTopic.set(topic, { groupFilterData, topic })
    }
    return { filterDataByTopic }
  }

  /**
   * Takes over what the file says; its groups count as dead until they are heard of. Nothing of it when one entry is of
   * another Bloom filter: the bit maps are, too.
   */
  load(content: ConsumerFilterWrapper): void {
    const stored = [...content.filterDataByTopic.values()].flatMap(topic => [...topic.groupFilterData.values()])
    if (!stored.every(data => this.#isOfOurFilter(data))) {
      this.#logger.warn(
        {},
        'the size of the Bloom filter has changed; the selections in consumerFilter.json are ignored',
      )
      return
    }
    for (const data of stored) {
      const selection = data.expressionType === 'SQL92' ? this.#compile(data.expression) : undefined
      if (selection === undefined) continue
      const deadSince = Math.max(data.bornTime, this.#clock.now() - LOADED_DEAD_FOR_MS)
      this.#put({
        ...this.#newData(data.topic, data.consumerGroup, selection, data.clientVersion, data.bornTime),
        deadTimeMs: data.deadTime === 0 ? deadSince : data.deadTime,
      })
    }
  }

  #registerOne(group: string, { topic, subString, expressionType, subVersion }: Registration): void {
    if (expressionType !== 'SQL92' || subString === '') return
    const old = this.get(topic, group)
    if (old !== undefined && subVersion < old.clientVersion) return
    const isSame = old !== undefined && (old.expression === subString || subVersion === old.clientVersion)
    if (isSame) {
      if (old.clientVersion === subVersion && !isDead(old)) return
      old.clientVersion = subVersion
      old.deadTimeMs = 0
      this.isDirty = true
      return
    }
    const selection = this.#compile(subString)
    if (selection !== undefined) {
      this.#put(this.#newData(topic, group, selection, subVersion, this.#clock.now()))
    } else if (old !== undefined) this.#remove(old)
  }

  #compile(expression: string): Selection | undefined {
    try {
      return compileSelection(expression)
    } catch (error) {
      this.#logger.warn({ err: error, expression: expression.slice(0, 200) }, 'a selection can not be used')
      return undefined
    }
  }

  #newData(topic: string, group: string, selection: Selection, clientVersion: number, bornTimeMs: number): FilterData {
    const { bloomFilter } = this
    const positions = bloomFilter.positionsOf(`${group}#${topic}`)
    const filter = new SelectionFilter(selection, { bloomFilter, positions, bornTimeMs })
    const { expression } = selection
    return { topic, group, expression, clientVersion, bornTimeMs, deadTimeMs: 0, positions, filter }
  }

  #put(data: FilterData): void {
    const isNew = this.get(data.topic, data.group) === undefined
    if (isNew && this.#size >= SELECTIONS_MAX) {
      this.#logger.warn({ group: data.group, topic: data.topic }, 'too many selections; this one is not kept')
      return
    }
    if (isNew) this.#size++
    childOf(this.#byTopic, data.topic).set(data.group, data)
    childOf(this.#byGroup, data.group).set(data.topic, data)
    this.isDirty = true
  }

  #remove(data: FilterData): void {
    this.#size--
    this.isDirty = true
    removeFrom(this.#byTopic, data.topic, data.group)
    removeFrom(this.#byGroup, data.group, data.topic)
  }

  #kill(data: FilterData): void {
    if (isDead(data)) return
    data.deadTimeMs = Math.max(this.#clock.now(), data.bornTimeMs)
    this.isDirty = true
  }

  #isOfOurFilter({ bloomFilterData }: StoredData): boolean {
    const { bitCount, hashCount } = this.bloomFilter
    return bloomFilterData?.bitNum === bitCount && bloomFilterData.bitPos.length === hashCount
  }

  #stored(data: FilterData): StoredData {
    return {
      bloomFilterData: { bitNum: this.bloomFilter.bitCount, bitPos: data.positions },
      bornTime: data.bornTimeMs,
      clientVersion: data.clientVersion,
      consumerGroup: data.group,
      dead: isDead(data),
      deadTime: data.deadTimeMs,
      expression: data.expression,
      expressionType: 'SQL92',
      topic: data.topic,
    }
  }
}

type StoredTopic = ConsumerFilterWrapper['filterDataByTopic'] extends ReadonlyMap<string, infer T> ? T : never
type StoredData = StoredTopic['groupFilterData'] extends ReadonlyMap<string, infer D> ? D : never

function isDead(data: FilterData): boolean {
  return data.deadTimeMs >= data.bornTimeMs
}

function childOf(parent: Map<string, Map<string, FilterData>>, key: string): Map<string, FilterData> {
  let child = parent.get(key)
  if (child === undefined) {
    child = new Map()
    parent.set(key, child)
  }
  return child
}

function removeFrom(parent: Map<string, Map<string, FilterData>>, key: string, childKey: string): void {
  const child = parent.get(key)
  child?.delete(childKey)
  if (child?.size === 0) parent.delete(key)
}
