import { dlqPrefix, retryPrefix } from './names.ts'

/** Topics that RocketMQ uses itself. Source: TopicValidator, 5.3.x. */
export const systemTopics = {
  autoCreateKey: 'TBW102',
  schedule: 'SCHEDULE_TOPIC_XXXX',
  benchmark: 'BenchmarkTest',
  transactionHalf: 'RMQ_SYS_TRANS_HALF_TOPIC',
  trace: 'RMQ_SYS_TRACE_TOPIC',
  transactionOpHalf: 'RMQ_SYS_TRANS_OP_HALF_TOPIC',
  transactionCheckMaxTime: 'TRANS_CHECK_MAX_TIME_TOPIC',
  selfTest: 'SELF_TEST_TOPIC',
  offsetMovedEvent: 'OFFSET_MOVED_EVENT',
  checkpoint: 'CHECKPOINT_TOPIC',
} as const

/** Prefix of the system topics of 5.x. */
export const systemTopicPrefix = 'rmq_sys_'

export const timerTopic = 'rmq_sys_wheel_timer'

/** The POP revive log of a cluster. */
export function reviveTopic(cluster: string): string {
  return `${systemTopicPrefix}REVIVE_LOG_${cluster}`
}

/** Where the members of a broker group tell each other of changes. */
export function syncBrokerMemberTopic(brokerName: string): string {
  return `${systemTopicPrefix}SYNC_BROKER_MEMBER_${brokerName}`
}

const systemTopicSet: ReadonlySet<string> = new Set(Object.values(systemTopics))

const sendRefused: ReadonlySet<string> = new Set([
  systemTopics.schedule,
  systemTopics.transactionHalf,
  systemTopics.transactionOpHalf,
  systemTopics.transactionCheckMaxTime,
  systemTopics.selfTest,
  systemTopics.offsetMovedEvent,
])

/**
 * True for the topics that are RocketMQ's on every broker. A broker also counts its cluster's, its own and the reply topic.
 * Source: TopicValidator#isSystemTopic, 5.3.x.
 */
export function isSystemTopic(topic: string): boolean {
  return systemTopicSet.has(topic) || topic.startsWith(systemTopicPrefix)
}

/** True for the topics to which no client may send. Source: TopicValidator#isNotAllowedSendTopic, 5.3.x. */
export function isSendRefusedTopic(topic: string): boolean {
  return sendRefused.has(topic)
}

/** True where light queues may be filled from. Source: MixAll#topicAllowsLMQ, 5.3.x. */
export function topicAllowsLmq(topic: string): boolean {
  return !topic.startsWith(retryPrefix) && !topic.startsWith(systemTopicPrefix) && topic !== systemTopics.schedule
}

/** True for topics that hold what consumers gave back. */
export function isRetryOrDlqTopic(topic: string): boolean {
  return topic.startsWith(retryPrefix) || topic.startsWith(dlqPrefix)
}

/** Groups that RocketMQ uses itself. Source: MixAll, 5.3.x. */
export const systemGroups = {
  defaultProducer: 'DEFAULT_PRODUCER',
  defaultConsumer: 'DEFAULT_CONSUMER',
  tools: 'TOOLS_CONSUMER',
  schedule: 'SCHEDULE_CONSUMER',
  filterServer: 'FILTERSRV_CONSUMER',
  monitor: '__MONITOR_CONSUMER',
  clientInnerProducer: 'CLIENT_INNER_PRODUCER',
  selfTestProducer: 'SELF_TEST_P_GROUP',
  selfTestConsumer: 'SELF_TEST_C_GROUP',
  onsHttpProxy: 'CID_ONS-HTTP-PROXY',
  onsApiPermission: 'CID_ONSAPI_PERMISSION',
  onsApiOwner: 'CID_ONSAPI_OWNER',
  onsApiPull: 'CID_ONSAPI_PULL',
  transaction: 'CID_RMQ_SYS_TRANS',
} as const

export const systemGroupPrefix = 'CID_RMQ_SYS_'

/** Groups that a fresh broker has. Source: SubscriptionGroupManager#init, 5.3.x. */
export const presetGroups: readonly string[] = [
  systemGroups.tools,
  systemGroups.filterServer,
  systemGroups.selfTestConsumer,
  systemGroups.onsHttpProxy,
  systemGroups.onsApiPull,
  systemGroups.onsApiPermission,
  systemGroups.onsApiOwner,
  systemGroups.transaction,
]

const predefinedGroups: ReadonlySet<string> = new Set(Object.values(systemGroups))

const producerGroups: ReadonlySet<string> = new Set([
  systemGroups.defaultProducer,
  systemGroups.clientInnerProducer,
  systemGroups.selfTestProducer,
])

/** Source: MixAll#isPredefinedGroup, 5.3.x. */
export function isPredefinedGroup(group: string): boolean {
  return predefinedGroups.has(group)
}

/** Source: MixAll#isSysConsumerGroup, 5.3.x. */
export function isSystemGroup(group: string): boolean {
  return group.startsWith(systemGroupPrefix)
}

/** Groups whose pulls are RocketMQ's own. Source: MixAll#isSysConsumerGroupPullMessage, 5.3.x. */
export function isSystemPullGroup(group: string): boolean {
  return isSystemGroup(group) || (predefinedGroups.has(group) && !producerGroups.has(group))
}
