import {
  encodeStrictTopicRoute,
  getRouteinfoByTopic,
  type RemotingCommand,
  ResponseCode,
  topicRouteData,
  versionGates,
} from '@rocketmq-ts/protocol'
import type { Connection, Reply, Router } from '@rocketmq-ts/remoting'
import type { Clock } from '@rocketmq-ts/runtime'
import { type KvConfig, ORDER_TOPIC_NAMESPACE } from '../kv-config.ts'
import type { NamesrvOptions } from '../options.ts'
import type { RouteTable } from '../route/route-table.ts'
import { routeInZone, topicRouteOf } from '../route/topic-route.ts'
import { wantedZoneOf } from './zone.ts'

/** Routes kept in encoded form; beyond it, or when anything has changed, all are forgotten. */
const CACHED_ROUTES_MAX = 10_000

/** What route requests need. */
export interface RouteDeps {
  readonly table: RouteTable<Connection>
  readonly kvConfig: KvConfig
  readonly options: NamesrvOptions
  readonly clock: Clock
}

/** Where a topic lives: code 105. Source: ClientRequestProcessor and ZoneRouteRPCHook, 5.3.x. */
export function registerRoutes(router: Router, deps: RouteDeps): void {
  const { clock, options } = deps
  const routes = new EncodedRoutes(deps)
  const startedMs = clock.monotonic()
  router.handle(getRouteinfoByTopic, ({ header, command }): Reply<Record<string, never>> => {
    if (options.needWaitForService && clock.monotonic() - startedMs < options.waitSecondsForService * 1_000) {
      return { code: ResponseCode.SYSTEM_ERROR, remark: 'name server not ready' }
    }
    const isStrict = header.acceptStandardJsonOnly === true || command.version >= versionGates.strictRouteJson
    const body = routes.get(header.topic, isStrict, command)
    return body === undefined ? unknownTopic(header.topic) : { body }
  })
}

function unknownTopic(topic: string): Reply<Record<string, never>> {
  return {
    code: ResponseCode.TOPIC_NOT_EXIST,
    remark: `No topic route info in name server for the topic: ${topic}\nSee https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details.`,
  }
}

/** Every client asks for every topic of its every half minute, and routes hardly ever change. */
class EncodedRoutes {
  readonly #deps: RouteDeps
  readonly #bodies = new Map<string, Buffer>()
  #revision = -1
  #supportsActingMaster = false

  constructor(deps: RouteDeps) {
    this.#deps = deps
  }

  get(topic: string, isStrict: boolean, command: RemotingCommand): Buffer | undefined {
    const zone = wantedZoneOf(command)
    if (zone !== undefined || this.#deps.options.orderMessageEnable) return this.#encode(topic, isStrict, zone)
    this.#forgetOutdated()
    const key = isStrict ? `s${topic}` : `l${topic}`
    let body = this.#bodies.get(key)
    if (body === undefined) {
      body = this.#encode(topic, isStrict, undefined)
      if (body !== undefined) this.#bodies.set(key, body)
    }
    return body
  }

  #forgetOutdated(): void {
    const { table, options } = this.#deps
    const isCurrent = table.revision === this.#revision && options.supportActingMaster === this.#supportsActingMaster
    if (isCurrent && this.#bodies.size < CACHED_ROUTES_MAX) return
    this.#bodies.clear()
    this.#revision = table.revision
    this.#supportsActingMaster = options.supportActingMaster
  }

  #encode(topic: string, isStrict: boolean, zone: string | undefined): Buffer | undefined {
    const { table, options, kvConfig } = this.#deps
    const whole = topicRouteOf(table, topic, options)
    if (whole === undefined) return undefined
    const order = options.orderMessageEnable ? kvConfig.get(ORDER_TOPIC_NAMESPACE, topic) : undefined
    const ordered = order === undefined ? whole : { ...whole, orderTopicConf: order }
    const route = zone === undefined ? ordered : routeInZone(ordered, zone)
    return isStrict ? encodeStrictTopicRoute(route) : topicRouteData.encode(route)
  }
}
