import { systemGroups, systemTopics } from '@rocketmq-ts/model'
import type { Clock, Timer } from '@rocketmq-ts/runtime'
import type { BrokerOptions } from '../options.ts'
import { Flow, type FlowField, type WindowIndex, windowCapacities, windowPeriodsMs } from './flow.ts'
import { FlowTables, type FoundFlow, found, type KeyedStat, queueFlow } from './flow-tables.ts'
import { LatencyStats } from './latency.ts'
import { RateSamples } from './rates.ts'

/** One statistic over one window: how much, how much a second, and how much a call. */
export interface StatsWindow {
  sum: number
  tps: number
  avgpt: number
}

/** What VIEW_BROKER_STATS_DATA answers. */
export interface StatsData {
  statsMinute: StatsWindow
  statsHour: StatsWindow
  statsDay: StatsWindow
}

/**
 * What went through the broker, by topic, group, queue and in all. The `add` methods are called per message or request and
 * cost a few additions and one or two map look-ups. Names and windows are Java's; see {@link find}.
 * Source: BrokerStatsManager, StoreStatsService, 5.3.x
 */
export class BrokerStats {
  readonly #clock: Clock
  readonly #options: BrokerOptions
  readonly #tables: FlowTables
  readonly #brokerPut = new Flow()
  readonly #brokerGet = new Flow()
  readonly #userPut = new Flow()
  readonly #userGet = new Flow()
  /** Times of the samples of each window, oldest first. */
  readonly #times: [number[], number[], number[]] = [[], [], []]
  readonly #timers: Timer[] = []
  readonly #rateSamples = new RateSamples()
  readonly putLatency = new LatencyStats()
  readonly bootTimestampMs: number
  getElapsedMaxMs = 0
  putFailures = 0
  /** Puts of this turn, and when the first of them came. */
  #turnPuts = 0
  #turnStartMs = 0
  #putCount = 0
  #putBytes = 0
  #foundCount = 0
  #missCount = 0
  #transferredCount = 0
  /** Totals at midnight: of yesterday and of today. */
  readonly mornings = { putYesterday: 0, putToday: 0, getYesterday: 0, getToday: 0 }

  constructor(deps: { clock: Clock; options: BrokerOptions; isSystemTopic: (topic: string) => boolean }) {
    this.#clock = deps.clock
    this.#options = deps.options
    this.#tables = new FlowTables(deps.isSystemTopic)
    this.bootTimestampMs = deps.clock.now()
  }

  /** Begins sampling. Timers don't keep the process alive. */
  start(): void {
    for (const window of [0, 1, 2] as const) {
      this.sampleWindow(window)
      this.#timers.push(
        this.#clock.setInterval(() => this.sampleWindow(window), windowPeriodsMs[window], { unref: true }),
      )
    }
    this.#timers.push(
      this.#clock.setInterval(() => this.sampleRates(), 1000, { unref: true }),
      this.#clock.setInterval(() => this.putLatency.rotate(), 60_000, { unref: true }),
    )
    this.#scheduleMidnight()
  }

  /** Ends sampling; counting goes on. */
  stop(): void {
    for (const timer of this.#timers.splice(0)) timer.cancel()
  }

  /** Stored messages of a topic: one call a put, `count` > 1 for a batch. A negative queue id counts for no queue. */
  addPut(topic: string, count: number, bytes: number, queueId = -1): void {
    if (this.#turnPuts++ === 0) this.#turnStartMs = this.#clock.monotonic()
    this.#putCount += count
    this.#putBytes += bytes
    const flows = this.#tables.topic(topic)
    flows.put.add(count, bytes, 1)
    if (queueId >= 0 && this.#options.enableDetailStat) queueFlow(flows.queues, queueId).add(count, bytes, 1)
  }

  /** Stored messages towards the broker's totals. */
  addBrokerPut(topic: string, count: number): void {
    this.#brokerPut.count += count
    if (!this.#tables.topic(topic).isSystem) this.#userPut.count += count
  }

  /**
   * The puts of this turn are in the log. They share one measurement, from the first of them to now: an answer can't leave
   * earlier, and a clock isn't read for every message.
   */
  putsWritten(): void {
    if (this.#turnPuts === 0) return
    this.putLatency.add(this.#clock.monotonic() - this.#turnStartMs, this.#turnPuts)
    this.#turnPuts = 0
  }

  /** The puts of this turn are lost. */
  putsLost(): void {
    this.putFailures += this.#turnPuts
    this.#turnPuts = 0
  }

  /** A put that the store refused. */
  addPutFailure(): void {
    this.putFailures++
  }

  /** Delayed messages that were delivered, of one queue of the schedule topic: as if a group of Java's had pulled them. */
  addDelivered(queueId: number, count: number, bytes: number): void {
    const flows = this.#tables.group(systemGroups.schedule, systemTopics.schedule)
    flows.get.add(count, bytes, count)
    if (this.#options.enableDetailStat) queueFlow(flows.queues, queueId).add(count, bytes, count)
  }

  /** Messages that one pull gave a group. A negative queue id counts for no queue. */
  addGet(group: string, topic: string, count: number, bytes: number, queueId = -1): void {
    this.#foundCount++
    this.#transferredCount += count
    const flows = this.#tables.group(group, topic)
    flows.get.add(count, bytes, 1)
    if (queueId >= 0 && this.#options.enableDetailStat) queueFlow(flows.queues, queueId).add(count, bytes, 1)
  }

  /** Pulled messages towards the broker's totals. */
  addBrokerGet(topic: string, count: number): void {
    this.#brokerGet.count += count
    if (!this.#tables.topic(topic).isSystem) this.#userGet.count += count
  }

  /** A pull that found nothing. */
  addMiss(): void {
    this.#missCount++
  }

  /** How long a read from the store's files took, in ms; reads from memory take no time worth noting. */
  noteGetElapsed(elapsedMs: number): void {
    this.getElapsedMaxMs = Math.max(this.getElapsedMaxMs, Math.floor(elapsedMs))
  }

  /** A message that a consumer sent back for a later attempt. */
  addSendBack(group: string, topic: string): void {
    this.add('SNDBCK_PUT_NUMS', `${topic}@${group}`, 1)
  }

  /** A message that went to a group's dead letters. */
  addDeadLetter(group: string, topic: string): void {
    this.add('SNDBCK2DLQ_TIMES', `${topic}@${group}`, 1)
  }

  /** Adds to a statistic with a key of text. Beyond 100,000 keys of one name new keys are ignored. */
  add(name: KeyedStat, key: string, value: number): void {
    this.#tables.keyed(name, key)?.add(value, 0, 1)
  }

  /** Puts of a topic in a second, over the last minute. */
  topicPutTps(topic: string): number {
    const flow = this.#tables.putOf(topic)
    return flow === undefined ? 0 : this.#summarize(flow, 0, 0).tps
  }

  /** Messages that a group got of a topic in a second, over the last minute. */
  groupGetTps(group: string, topic: string): number {
    const flow = this.#tables.getOf(group, topic)
    return flow === undefined ? 0 : this.#summarize(flow, 0, 0).tps
  }

  /** User messages stored and pulled since the start. */
  get userTotals(): { put: number; get: number } {
    return { put: this.#userPut.count, get: this.#userGet.count }
  }

  /** Totals since the start. */
  get totals(): { putCount: number; putBytes: number } {
    return { putCount: this.#putCount, putBytes: this.#putBytes }
  }

  /** Rates over the last 10, 60 and 600 seconds; `undefined` while the history is shorter. */
  rates(field: 'put' | 'found' | 'miss' | 'transferred'): (number | undefined)[] {
    return [10, 60, 600].map(seconds => this.#rateSamples.rate(field, seconds))
  }

  /** The data of a statistic by Java's name and key; `undefined` when nothing was counted under it. */
  find(name: string, key: string): StatsData | undefined {
    const found = this.#findFlow(name, key)
    if (found === undefined) return undefined
    const [flow, field] = found
    return {
      statsMinute: this.#summarize(flow, 0, field),
      statsHour: this.#summarize(flow, 1, field),
      statsDay: this.#summarize(flow, 2, field),
    }
  }

  /** Forgets a deleted topic. */
  deleteTopic(topic: string): void {
    if (this.#options.autoDeleteUnusedStats) this.#tables.deleteTopic(topic)
  }

  /** Forgets a deleted group. */
  deleteGroup(group: string): void {
    if (this.#options.autoDeleteUnusedStats) this.#tables.deleteGroup(group)
  }

  /** Takes one sample of every flow for a window. Called by the timers. */
  sampleWindow(window: WindowIndex): void {
    const times = this.#times[window]
    const nowMs = this.#clock.now()
    if (times.length === 0) times.push(nowMs - windowPeriodsMs[window])
    times.push(nowMs)
    if (times.length > windowCapacities[window]) times.shift()
    for (const flow of this.#flows()) flow.sample(window)
    if (window === 1) this.#dropIdle(nowMs)
  }

  /** Takes one sample of the rates. Called by a timer. */
  sampleRates(): void {
    this.#rateSamples.sample(this.#clock.now(), {
      put: this.#putCount,
      found: this.#foundCount,
      miss: this.#missCount,
      transferred: this.#transferredCount,
    })
  }

  /** Remembers the totals of this midnight. */
  recordMorning(): void {
    const { mornings } = this
    mornings.putYesterday = mornings.putToday
    mornings.getYesterday = mornings.getToday
    mornings.putToday = this.#userPut.count
    mornings.getToday = this.#userGet.count
  }

  #scheduleMidnight(): void {
    const nowMs = this.#clock.now()
    const midnight = new Date(nowMs)
    midnight.setHours(24, 0, 0, 0)
    const timer = this.#clock.setTimeout(
      () => {
        this.#timers.splice(this.#timers.indexOf(timer), 1)
        this.recordMorning()
        this.#scheduleMidnight()
      },
      Math.max(1, midnight.getTime() - nowMs),
      { unref: true },
    )
    this.#timers.push(timer)
  }

  *#flows(): Iterable<Flow> {
    yield this.#brokerPut
    yield this.#brokerGet
    yield this.#userPut
    yield this.#userGet
    yield* this.#tables
  }

  #findFlow(name: string, key: string): FoundFlow | undefined {
    const ofBroker = (flow: Flow) => found(key === this.#options.clusterName ? flow : undefined, 0)
    switch (name) {
      case 'BROKER_PUT_NUMS':
        return ofBroker(this.#brokerPut)
      case 'BROKER_GET_NUMS':
        return ofBroker(this.#brokerGet)
      case 'BROKER_PUT_NUMS_WITHOUT_SYSTEM_TOPIC':
        return ofBroker(this.#userPut)
      case 'BROKER_GET_NUMS_WITHOUT_SYSTEM_TOPIC':
        return ofBroker(this.#userGet)
      default:
        return this.#tables.find(name, key)
    }
  }

  #summarize(flow: Flow, index: WindowIndex, field: FlowField): StatsWindow {
    const window = flow.windows[index]
    if (window === undefined) return { sum: 0, tps: 0, avgpt: 0 }
    const times = this.#times[index]
    const elapsedMs = times[times.length - 1]! - times[Math.max(0, times.length - window.length)]!
    const sum = window.difference(field)
    const calls = window.difference(2)
    return { sum, tps: elapsedMs > 0 ? (sum * 1000) / elapsedMs : 0, avgpt: calls > 0 ? sum / calls : 0 }
  }

  #dropIdle(nowMs: number): void {
    const configured = this.#options.statsIdleMinutesMax
    if (configured >= 0) this.#tables.dropIdle(nowMs, (configured <= 10 ? 30 : configured) * 60_000)
  }
}
