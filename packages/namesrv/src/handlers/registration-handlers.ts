import { bodyCrc, type DataVersion } from '@rocketmq-ts/model'
import {
  brokerHeartbeat,
  dataVersionBody,
  decodeCompressedRegisterBrokerBody,
  getBrokerMemberGroup,
  getBrokerMemberGroupResponse,
  kvTable,
  queryDataVersion,
  type RegisterBrokerBody,
  type RemotingCommand,
  type RequestOf,
  ResponseCode,
  registerBroker as registerBrokerApi,
  registerBrokerBody,
  topicConfigSerializeWrapper,
  unregisterBroker,
  versionGates,
} from '@rocketmq-ts/protocol'
import type { Connection, Reply, Router } from '@rocketmq-ts/remoting'
import { type Clock, type Logger, RateLimitedLog } from '@rocketmq-ts/runtime'
import type { DepartureQueue } from '../departures.ts'
import { type KvConfig, ORDER_TOPIC_NAMESPACE } from '../kv-config.ts'
import type { NamesrvOptions } from '../options.ts'
import type { SmallestIdChange } from '../route/broker-set.ts'
import { type BrokerRegistration, isBrokerChanged, registerBroker } from '../route/register-broker.ts'
import type { RouteTable } from '../route/route-table.ts'
import { membersOf } from '../route/topic-lists.ts'
import { zoneNameOf } from './zone.ts'

type RegisterHeader = RequestOf<typeof registerBrokerApi>

const noVersion: DataVersion = { stateVersion: 0, timestamp: 0, counter: 0 }

/** What registration needs. */
export interface RegistrationDeps {
  readonly table: RouteTable<Connection>
  readonly departures: DepartureQueue
  readonly kvConfig: KvConfig
  readonly options: NamesrvOptions
  readonly clock: Clock
  readonly logger: Logger
  readonly onSmallestIdChange: (change: SmallestIdChange) => void
}

/** Brokers come, stay and go: codes 103, 104, 322, 901 and 904. Source: DefaultRequestProcessor, 5.3.x. */
export function registerRegistration(router: Router, deps: RegistrationDeps): void {
  const { table, clock, departures, logger } = deps
  const warnings = new RateLimitedLog(clock, logger)
  router.handle(registerBrokerApi, ({ header, body, command, connection }) =>
    answerRegistration({ ...deps, warnings }, header, body, command, connection),
  )
  router.handle(unregisterBroker, ({ header }) => {
    if (departures.add(header)) return {}
    warnings.warn(
      'departures',
      { brokerName: header.brokerName, waiting: departures.size },
      'too many brokers leave at once',
    )
    return { code: ResponseCode.SYSTEM_ERROR }
  })
  router.handle(queryDataVersion, ({ header: { clusterName, brokerAddr }, body }) => {
    const dataVersion = body === undefined ? undefined : dataVersionBody.decode(body)
    const changed = isBrokerChanged(table, clusterName, brokerAddr, dataVersion)
    table.alive.touch(clusterName, brokerAddr, clock.monotonic())
    const known = table.alive.get(clusterName, brokerAddr)
    return { header: { changed }, body: known && dataVersionBody.encode(known.dataVersion) }
  })
  router.handle(brokerHeartbeat, ({ header: { clusterName, brokerAddr } }) => {
    table.alive.touch(clusterName, brokerAddr, clock.monotonic())
    return {}
  })
  router.handle(getBrokerMemberGroup, ({ header: { clusterName, brokerName } }) => ({
    // Java leaves the initial remark in place; with code 0 it says nothing.
    remark: 'not set any response code',
    body: getBrokerMemberGroupResponse.encode({ brokerMemberGroup: membersOf(table, clusterName, brokerName) }),
  }))
}

function answerRegistration(
  deps: RegistrationDeps & { readonly warnings: RateLimitedLog },
  header: RegisterHeader,
  body: Buffer | undefined,
  command: RemotingCommand,
  connection: Connection,
): Reply<{ haServerAddr?: string | undefined; masterAddr?: string | undefined }> {
  if (header.bodyCrc32 !== 0 && bodyCrc(body ?? Buffer.alloc(0)) !== header.bodyCrc32) {
    deps.warnings.warn(
      'crc',
      { brokerName: header.brokerName, from: connection.remoteAddress },
      'registration with a wrong CRC',
    )
    return { code: ResponseCode.SYSTEM_ERROR, remark: 'crc32 not match', header: {} }
  }
  const { table, clock, options, kvConfig, logger, warnings } = deps
  const registration = registrationOf(header, body, command, connection)
  const isNew = table.alive.get(header.clusterName, header.brokerAddr) === undefined
  const result = registerBroker(table, registration, clock.monotonic(), options)
  const { brokerName, brokerId, brokerAddr } = header
  if (result.status === 'refused') {
    warnings.warn('refused', { brokerName, brokerId, brokerAddr }, 'a broker registered one topic before all of them')
    return { code: ResponseCode.SYSTEM_ERROR, remark: 'register broker failed', header: {} }
  }
  if (result.status === 'ignored') {
    warnings.warn(
      'ignored',
      { brokerName, brokerId, brokerAddr },
      'the broker id is held by another address with a newer state',
    )
  } else if (isNew) {
    logger.info({ brokerName, brokerId, brokerAddr, topics: registration.topics.size }, 'broker registered')
  }
  if (result.status === 'registered' && result.smallestIdChange !== undefined) {
    deps.onSmallestIdChange(result.smallestIdChange)
  }
  const orders = options.returnOrderTopicConfigToBroker ? kvConfig.list(ORDER_TOPIC_NAMESPACE) : undefined
  const answer =
    result.status === 'registered' ? { haServerAddr: result.haServerAddr, masterAddr: result.masterAddr } : {}
  return { header: answer, body: orders && kvTable.encode({ table: orders }) }
}

function registrationOf(
  header: RegisterHeader,
  body: Buffer | undefined,
  command: RemotingCommand,
  connection: Connection,
): BrokerRegistration<Connection> {
  const { clusterName, brokerAddr, brokerName, brokerId, haServerAddr, enableActingMaster } = header
  const content = bodyOf(body, header.compressed, command.version)
  const wrapper = content?.topicConfigSerializeWrapper
  return {
    clusterName,
    brokerAddr,
    brokerName,
    brokerId,
    haServerAddr,
    enableActingMaster,
    zoneName: zoneNameOf(command),
    timeoutMs: header.heartbeatTimeoutMillis,
    dataVersion: wrapper?.dataVersion ?? noVersion,
    topics: wrapper?.topicConfigTable ?? new Map(),
    mappings: wrapper?.topicQueueMappingInfoMap ?? new Map(),
    filterServers: content?.filterServerList,
    connection,
  }
}

type Content = Pick<RegisterBrokerBody['topicConfigSerializeWrapper'], 'dataVersion' | 'topicConfigTable'> &
  Partial<Pick<RegisterBrokerBody['topicConfigSerializeWrapper'], 'topicQueueMappingInfoMap'>>

/** Brokers of before 3.0.11 send their topics alone, later ones also filter servers, and compressed if they like. */
function bodyOf(
  body: Buffer | undefined,
  isCompressed: boolean,
  version: number,
): { topicConfigSerializeWrapper: Content; filterServerList?: readonly string[] } | undefined {
  if (body === undefined) return undefined
  if (version < versionGates.registerBrokerBody) {
    return { topicConfigSerializeWrapper: topicConfigSerializeWrapper.decode(body) }
  }
  return isCompressed ? decodeCompressedRegisterBrokerBody(body, version) : registerBrokerBody.decode(body)
}
