import {
  addWritePermOfBroker,
  clusterInfo,
  deleteTopicInNamesrv,
  getAllTopicListFromNameserver,
  getBrokerClusterInfo,
  getHasUnitSubTopicList,
  getHasUnitSubUnunitTopicList,
  getSystemTopicListFromNs,
  getTopicsByCluster,
  getUnitTopicList,
  ResponseCode,
  registerTopicInNamesrv,
  type TopicList,
  topicList,
  topicRouteData,
  wipeWritePermOfBroker,
} from '@rocketmq-ts/protocol'
import type { Connection, Reply, Router } from '@rocketmq-ts/remoting'
import type { Logger } from '@rocketmq-ts/runtime'
import type { NamesrvOptions } from '../options.ts'
import {
  addWritePermission,
  deleteTopic,
  type RouteTable,
  registerTopic,
  wipeWritePermission,
} from '../route/route-table.ts'
import {
  allTopics,
  clusterInfoOf,
  systemTopics,
  topicsOfCluster,
  unitSubscribedForeignTopics,
  unitSubscribedTopics,
  unitTopics,
} from '../route/topic-lists.ts'

/** What topic requests need. */
export interface TopicDeps {
  readonly table: RouteTable<Connection>
  readonly options: NamesrvOptions
  readonly logger: Logger
}

type NoHeader = Record<string, never>

/** Lists of topics and clusters, and their administration. Source: DefaultRequestProcessor, 5.3.x. */
export function registerTopics(router: Router, { table, options, logger }: TopicDeps): void {
  const listIf = (isEnabled: boolean, list: () => TopicList): Reply<NoHeader> =>
    isEnabled ? { body: topicList.encode(list()) } : { code: ResponseCode.SYSTEM_ERROR, remark: 'disable' }

  router.handle(getBrokerClusterInfo, () => ({ body: clusterInfo.encode(clusterInfoOf(table)) }))
  router.handle(getAllTopicListFromNameserver, () => listIf(options.enableAllTopicList, () => allTopics(table)))
  router.handle(getTopicsByCluster, ({ header }) =>
    listIf(options.enableTopicList, () => topicsOfCluster(table, header.cluster)),
  )
  router.handle(getSystemTopicListFromNs, () => ({ body: topicList.encode(systemTopics(table)) }))
  router.handle(getUnitTopicList, () => listIf(options.enableTopicList, () => unitTopics(table)))
  router.handle(getHasUnitSubTopicList, () => listIf(options.enableTopicList, () => unitSubscribedTopics(table)))
  router.handle(getHasUnitSubUnunitTopicList, () =>
    listIf(options.enableTopicList, () => unitSubscribedForeignTopics(table)),
  )
  router.handle(deleteTopicInNamesrv, ({ header }) => {
    deleteTopic(table, header.topic, header.clusterName)
    logger.info({ topic: header.topic, cluster: header.clusterName }, 'topic deleted')
    return {}
  })
  router.handle(registerTopicInNamesrv, ({ header, body }) => {
    if (body !== undefined) registerTopic(table, header.topic, topicRouteData.decode(body).queueDatas)
    return {}
  })
  router.handle(wipeWritePermOfBroker, ({ header }) => {
    const wipeTopicCount = wipeWritePermission(table, header.brokerName)
    logger.info({ brokerName: header.brokerName, wipeTopicCount }, 'write permission taken')
    return { header: { wipeTopicCount } }
  })
  router.handle(addWritePermOfBroker, ({ header }) => {
    const addTopicCount = addWritePermission(table, header.brokerName)
    logger.info({ brokerName: header.brokerName, addTopicCount }, 'write permission given')
    return { header: { addTopicCount } }
  })
}
