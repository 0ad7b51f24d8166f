import { initialDataVersion, parseAttributeChanges, type TopicConfig, topicConfig } from '@rocketmq-ts/model'
import {
  createTopicListBody,
  deleteTopicInBroker,
  getAllTopicConfig,
  getSystemTopicListFromBroker,
  getTopicConfig,
  ResponseCode,
  topicConfigAndMappingSerializeWrapper,
  topicConfigBody,
  topicList,
  updateAndCreateStaticTopic,
  updateAndCreateTopic,
  updateAndCreateTopicList,
} from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { MessageStore } from '@rocketmq-ts/store'
import type { ConsumerOffsets } from '../offset/consumer-offsets.ts'
import type { BrokerOptions } from '../options.ts'
import { reasonOf, unsetRemark } from '../remarks.ts'
import type { BrokerStats } from '../stats/broker-stats.ts'
import { isSameTopic, systemRefusal, topicRefusal } from './topic-checks.ts'
import type { TopicTable } from './topic-table.ts'

/** What {@link registerTopics} uses. */
export interface TopicHandlerDeps {
  readonly topics: TopicTable
  readonly options: BrokerOptions
  readonly offsets: ConsumerOffsets
  readonly stats: BrokerStats
  readonly store: Pick<MessageStore, 'deleteTopic'>
}

/** Creating, changing, deleting and listing topics. Source: AdminBrokerProcessor, 5.3.x */
export function registerTopics(router: Router, deps: TopicHandlerDeps): void {
  registerTopicChanges(router, deps)
  const { topics, stats } = deps

  router.handle(deleteTopicInBroker, ({ header }) => {
    const { topic } = header
    const refusal = topic.trim() === '' ? 'The specified topic is blank.' : systemRefusal(topic, deps)
    if (refusal !== undefined) return { code: ResponseCode.INVALID_PARAMETER, remark: refusal }
    try {
      for (const name of [topic, ...popRetryTopics(topic, deps)]) deleteEverywhere(name, deps)
      return {}
    } catch (error) {
      return { code: ResponseCode.SYSTEM_ERROR, remark: reasonOf(error) }
    }
  })

  router.handle(getAllTopicConfig, () => {
    const topicConfigTable = new Map(Array.from(topics.values(), topic => [topic.topicName, topic]))
    const body = topicConfigAndMappingSerializeWrapper.encode({
      dataVersion: topics.dataVersion,
      topicConfigTable,
      topicQueueMappingInfoMap: new Map(),
      topicQueueMappingDetailMap: new Map(),
      mappingDataVersion: initialDataVersion(stats.bootTimestampMs),
    })
    return { body }
  })

  router.handle(getTopicConfig, ({ header }) => {
    const topic = topics.get(header.topic)
    if (topic !== undefined) return { body: topicConfigBody.encode(topic) }
    return { code: ResponseCode.TOPIC_NOT_EXIST, remark: `No topic in this broker. topic: ${header.topic}` }
  })

  router.handle(getSystemTopicListFromBroker, () => ({
    body: topicList.encode({ topicList: topics.systemTopicNames() }),
  }))
}

function registerTopicChanges(router: Router, deps: TopicHandlerDeps): void {
  router.handle(updateAndCreateTopic, ({ header }) => {
    const topic = topicConfig(header.topic, {
      readQueueNums: header.readQueueNums,
      writeQueueNums: header.writeQueueNums,
      perm: header.perm,
      topicFilterType: header.topicFilterType === 'MULTI_TAG' ? 'MULTI_TAG' : 'SINGLE_TAG',
      topicSysFlag: header.topicSysFlag ?? 0,
      order: header.order,
    })
    return createOrUpdate(() => [[topic, parseAttributeChanges(header.attributes ?? '')]], deps)
  })

  router.handle(updateAndCreateTopicList, ({ body }) => {
    const { topicConfigList } = createTopicListBody.decode(body ?? Buffer.alloc(0))
    // In this request the attributes carry their signs.
    return createOrUpdate(
      () => topicConfigList.map(topic => [{ ...topic, attributes: {} }, new Map(Object.entries(topic.attributes))]),
      deps,
    )
  })

  router.handle(updateAndCreateStaticTopic, ({ header }) => ({
    code: ResponseCode.REQUEST_CODE_NOT_SUPPORTED,
    remark: `static topics are not supported by this broker; create ${header.topic} with updateTopic instead`,
  }))
}

type TopicUpdate = readonly [topic: TopicConfig, changes: ReadonlyMap<string, string>]

/** Applies all updates when none is refused; those that change nothing don't touch the data version. */
function createOrUpdate(read: () => TopicUpdate[], deps: TopicHandlerDeps): { code?: number; remark?: string } {
  try {
    const updates = read()
    for (const [topic, changes] of updates) {
      const refusal = topicRefusal(topic, changes, deps)
      if (refusal !== undefined) return { code: ResponseCode.INVALID_PARAMETER, remark: refusal }
    }
    for (const [topic, changes] of updates) {
      if (changes.size > 0 || !isSameTopic(topic, deps.topics.get(topic.topicName))) deps.topics.update(topic, changes)
    }
    return { remark: unsetRemark }
  } catch (error) {
    return { code: ResponseCode.SYSTEM_ERROR, remark: reasonOf(error) }
  }
}

/** The retry topics that POP consumers of a topic have, in both namings. */
function popRetryTopics(topic: string, deps: TopicHandlerDeps): string[] {
  if (!deps.options.clearRetryTopicWhenDeleteTopic) return []
  const names = deps.offsets.groupsOf(topic).flatMap(group => [`%RETRY%${group}+${topic}`, `%RETRY%${group}_${topic}`])
  return names.filter(name => deps.topics.get(name) !== undefined)
}

function deleteEverywhere(topic: string, deps: TopicHandlerDeps): void {
  deps.topics.delete(topic)
  deps.offsets.removeTopic(topic)
  deps.store.deleteTopic(topic)
  deps.stats.deleteTopic(topic)
}
