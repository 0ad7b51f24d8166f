import type { MessageQueue } from '@rocketmq-ts/model'
import { RequestCode, ResponseCode, requestCommand, type TopicRouteData, topicRouteData } from '@rocketmq-ts/protocol'
import { type Clock, type Logger, type Random, RocketMqError } from '@rocketmq-ts/runtime'
import { BrokerAddresses, type BrokerEndpoint } from './broker-addresses.ts'
import type { NameServers } from './name-servers.ts'
import { publishQueuesOf, staticTopicEndpoints, subscribeQueuesOf, type TopicPublishInfo } from './publish-info.ts'

/** Called with the new queues after a route changed. Must not throw. */
export type RouteListener = (queues: readonly MessageQueue[], topic: string) => void

/** Where a topic that doesn't exist yet can be created by sending to it. */
export interface DefaultTopic {
  /** Usually `TBW102`. */
  readonly topic: string
  /** Queues the new topic gets at most. */
  readonly queueNums: number
}

interface RouteEntry {
  route: TopicRouteData
  routeText: string
  publish: TopicPublishInfo
  subscribe: MessageQueue[]
  /** Broker that holds each logical queue of a static topic; undefined for other topics. */
  holders: Map<string, { brokerName: string }> | undefined
  /** Made from the default topic's route: the topic doesn't exist yet. */
  isBorrowed: boolean
  usedAtMs: number
}

/** A topic nobody used for so long is forgotten, so that the table stays as small as the application's set of topics. */
const forgetAfterMs = 30 * 60_000

/**
 * Routes of the topics this client uses. Kept by topic until unused for half an hour; refreshed by the owner's timer, and on
 * demand. One question per topic is in flight at most; later askers share its answer.
 */
export class RouteTable {
  readonly brokers = new BrokerAddresses()
  readonly #nameServers: NameServers
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #random: Random
  readonly #timeoutMs: number
  readonly #entries = new Map<string, RouteEntry>()
  readonly #refreshing = new Map<string, Promise<boolean>>()
  readonly #listeners = new Map<string, Set<RouteListener>>()

  constructor(deps: { nameServers: NameServers; clock: Clock; logger: Logger; random: Random; timeoutMs: number }) {
    this.#nameServers = deps.nameServers
    this.#clock = deps.clock
    this.#logger = deps.logger
    this.#random = deps.random
    this.#timeoutMs = deps.timeoutMs
  }

  /** What is known now, without asking; undefined when unknown or without a queue. For hot paths. */
  cachedPublishInfo(topic: string): TopicPublishInfo | undefined {
    const entry = this.#entries.get(topic)
    if (entry === undefined || entry.publish.queues.length === 0) return undefined
    return entry.publish
  }

  /**
   * Queues to send to; asks the name server when unknown. With `fallback`, an unknown topic borrows the queues of the
   * default topic, and the broker will create it. Rejects with `NO_ROUTE` (`details.reason`: TOPIC_MISSING, BROKER_DOWN,
   * NOT_WRITABLE, NAME_SERVER_UNREACHABLE) or `NO_NAME_SERVER` when none is configured.
   */
  async publishInfo(topic: string, fallback?: DefaultTopic): Promise<TopicPublishInfo> {
    const cached = this.cachedPublishInfo(topic)
    if (cached) {
      this.#entries.get(topic)!.usedAtMs = this.#clock.monotonic()
      return cached
    }
    const found = await this.#askRoute(topic)
    if (!found && fallback) await this.#borrow(topic, fallback)
    const entry = this.#entries.get(topic)
    if (entry && entry.publish.queues.length > 0) return entry.publish
    throw this.#noRoute(topic, entry, 'send to')
  }

  /** Queues to read from; asks the name server when unknown. Rejects as {@link publishInfo}. */
  async subscribeQueues(topic: string): Promise<MessageQueue[]> {
    let entry = this.#entries.get(topic)
    if (!entry || entry.isBorrowed || entry.subscribe.length === 0) {
      await this.#askRoute(topic)
      entry = this.#entries.get(topic)
    }
    if (!entry || entry.isBorrowed || entry.subscribe.length === 0) throw this.#noRoute(topic, entry, 'read from')
    entry.usedAtMs = this.#clock.monotonic()
    return entry.subscribe
  }

  /** Queues to read from as known now; undefined when the topic is unknown. */
  cachedSubscribeQueues(topic: string): readonly MessageQueue[] | undefined {
    const entry = this.#entries.get(topic)
    return entry === undefined || entry.isBorrowed ? undefined : entry.subscribe
  }

  /** The whole route as known now. */
  cachedRoute(topic: string): TopicRouteData | undefined {
    const entry = this.#entries.get(topic)
    return entry === undefined || entry.isBorrowed ? undefined : entry.route
  }

  /** Calls `listener` after each change of the topic's route; the returned function ends that. */
  onChange(topic: string, listener: RouteListener): () => void {
    let listeners = this.#listeners.get(topic)
    if (!listeners) {
      listeners = new Set()
      this.#listeners.set(topic, listeners)
    }
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners) this.#listeners.delete(topic)
    }
  }

  /** Address of a broker as {@link BrokerAddresses.find}; undefined when no route names it. */
  brokerAddress(brokerName: string, options?: { brokerId?: number; onlyThisId?: boolean }): BrokerEndpoint | undefined {
    return this.brokers.find(brokerName, options?.brokerId, options?.onlyThisId)
  }

  /** A random broker of the topic's route, its master if it has one: for questions about a group. */
  anyBrokerOf(topic: string): BrokerEndpoint | undefined {
    const route = this.cachedRoute(topic)
    if (!route || route.brokerDatas.length === 0) return undefined
    const start = this.#random.int(route.brokerDatas.length)
    for (let i = 0; i < route.brokerDatas.length; i++) {
      const name = route.brokerDatas[(start + i) % route.brokerDatas.length]!.brokerName
      const endpoint = this.brokers.find(name)
      if (endpoint) return endpoint
    }
    return undefined
  }

  /** Name of the broker that holds a queue: differs from `queue.brokerName` for static topics only. */
  holderOf(queue: MessageQueue): string {
    const holders = this.#entries.get(queue.topic)?.holders
    return holders?.get(`${queue.brokerName}/${queue.queueId}`)?.brokerName ?? queue.brokerName
  }

  /**
   * Asks for the route again. Resolves to true when the name server knows the topic, to false when it doesn't or when no
   * name server answered (logged); what was known stays. Never rejects.
   */
  async refresh(topic: string): Promise<boolean> {
    try {
      return await this.#askRoute(topic)
    } catch (error) {
      this.#logger.warn({ topic, err: error }, 'route could not be refreshed')
      return false
    }
  }

  /** Refreshes all of `topics` and every topic in the table, forgetting those that nobody used for half an hour. */
  async refreshAll(topics: Iterable<string>): Promise<void> {
    const wanted = new Set(topics)
    const now = this.#clock.monotonic()
    for (const [topic, entry] of this.#entries) {
      if (wanted.has(topic) || this.#listeners.has(topic)) entry.usedAtMs = now
      if (now - entry.usedAtMs > forgetAfterMs) this.#entries.delete(topic)
      else wanted.add(topic)
    }
    for (const topic of wanted) {
      try {
        await this.#askRoute(topic)
      } catch (error) {
        this.#logger.warn({ topic, err: error }, 'routes could not be refreshed')
        // With no name server answering, each further topic would only wait as long again.
        if (RocketMqError.is(error) && error.code === 'NO_NAME_SERVER') return
      }
    }
  }

  /** Forgets addresses of brokers that no known route names. */
  dropOfflineBrokers(): void {
    const used = new Set<string>()
    for (const entry of this.#entries.values()) {
      for (const broker of entry.route.brokerDatas) for (const address of broker.brokerAddrs.values()) used.add(address)
    }
    this.brokers.retain(address => used.has(address))
  }

  #askRoute(topic: string): Promise<boolean> {
    let pending = this.#refreshing.get(topic)
    if (!pending) {
      pending = this.#fetch(topic).then(route => {
        if (!route) return false
        this.#store(topic, route, false)
        return true
      })
      const settled = pending.finally(() => this.#refreshing.delete(topic))
      settled.catch(() => {})
      this.#refreshing.set(topic, pending)
    }
    return pending
  }

  async #fetch(topic: string): Promise<TopicRouteData | undefined> {
    const build = () => requestCommand(RequestCode.GET_ROUTEINFO_BY_TOPIC, { topic, acceptStandardJsonOnly: 'true' })
    const answer = await this.#nameServers.ask(build, this.#timeoutMs)
    if (answer.code === ResponseCode.SUCCESS && answer.body) return topicRouteData.decode(answer.body)
    if (answer.code === ResponseCode.TOPIC_NOT_EXIST) return undefined
    throw new RocketMqError('RESPONSE_ERROR', `the name server refused the route of "${topic}": ${answer.remark}`, {
      details: { responseCode: answer.code, remark: answer.remark, topic },
    })
  }

  async #borrow(topic: string, fallback: DefaultTopic): Promise<void> {
    const route = await this.#fetch(fallback.topic)
    if (!route) return
    const queueDatas = route.queueDatas.map(data => {
      const queueNums = Math.min(fallback.queueNums, data.readQueueNums)
      return { ...data, readQueueNums: queueNums, writeQueueNums: queueNums }
    })
    const entry = this.#entries.get(topic)
    if (entry && !entry.isBorrowed) return
    this.#store(topic, { ...route, queueDatas }, true)
  }

  #store(topic: string, route: TopicRouteData, isBorrowed: boolean): void {
    for (const broker of route.brokerDatas) this.brokers.update(broker)
    const old = this.#entries.get(topic)
    const routeText = fingerprint(route)
    if (old && old.routeText === routeText && old.isBorrowed === isBorrowed) return
    const { queues, isOrderTopic } = publishQueuesOf(topic, route)
    const endpoints = staticTopicEndpoints(topic, route)
    const nextIndex = old?.publish.nextIndex ?? this.#random.int(1024)
    this.#entries.set(topic, {
      route,
      routeText,
      publish: { topic, isOrderTopic, queues, isBorrowed, nextIndex },
      subscribe: isBorrowed ? [] : subscribeQueuesOf(topic, route),
      holders: endpoints.size > 0 ? endpoints : undefined,
      isBorrowed,
      usedAtMs: old?.usedAtMs ?? this.#clock.monotonic(),
    })
    this.#logger.debug({ topic, brokers: route.brokerDatas.length }, 'route changed')
    if (isBorrowed) return
    const subscribe = this.#entries.get(topic)!.subscribe
    for (const listener of [...(this.#listeners.get(topic) ?? [])]) listener(subscribe, topic)
  }

  #noRoute(topic: string, entry: RouteEntry | undefined, use: string): RocketMqError {
    const asked = this.#nameServers.addresses.join(', ')
    if (!entry) {
      return new RocketMqError('NO_ROUTE', `topic "${topic}" is unknown to ${asked}`, {
        details: { reason: 'TOPIC_MISSING', topic },
      })
    }
    const brokers = entry.route.brokerDatas.map(broker => broker.brokerName)
    const withoutMaster = entry.route.brokerDatas.every(broker => !broker.brokerAddrs.has(0))
    if (brokers.length === 0 || withoutMaster) {
      const text = `topic "${topic}" exists, but no master broker of it is up (brokers: ${brokers.join(', ') || 'none'})`
      return new RocketMqError('NO_ROUTE', text, { details: { reason: 'BROKER_DOWN', topic, brokers } })
    }
    return new RocketMqError(
      'NO_ROUTE',
      `topic "${topic}" has no queue one may ${use} (brokers: ${brokers.join(', ')})`,
      {
        details: { reason: use === 'send to' ? 'NOT_WRITABLE' : 'NOT_READABLE', topic, brokers },
      },
    )
  }
}

/** Equal texts for routes that differ in order only. */
function fingerprint(route: TopicRouteData): string {
  const queueDatas = route.queueDatas
    .map(q => `${q.brokerName} ${q.readQueueNums} ${q.writeQueueNums} ${q.perm} ${q.topicSysFlag}`)
    .sort()
  const brokerDatas = route.brokerDatas
    .map(b => `${b.brokerName} ${b.cluster} ${[...b.brokerAddrs].sort((x, y) => x[0] - y[0]).join(' ')}`)
    .sort()
  const mappings = [...(route.topicQueueMappingByBroker ?? [])].map(
    ([name, m]) => `${name} ${m.scope} ${m.totalQueues} ${m.epoch} ${[...m.currIdMap].join(' ')}`,
  )
  return JSON.stringify([route.orderTopicConf, queueDatas, brokerDatas, mappings.sort()])
}
