import type { TopicConfig } from '@rocketmq-ts/model'
import type { BrokerOptions } from '../options.ts'

/** One queue for each of the eighteen delay levels. */
const scheduleTopicQueueCount = 18

/** Names that are system topics on every broker. Source: TopicValidator, 5.3.x */
export const fixedSystemTopics: readonly string[] = [
  'TBW102',
  'SCHEDULE_TOPIC_XXXX',
  'BenchmarkTest',
  'RMQ_SYS_TRANS_HALF_TOPIC',
  'RMQ_SYS_TRACE_TOPIC',
  'RMQ_SYS_TRANS_OP_HALF_TOPIC',
  'TRANS_CHECK_MAX_TIME_TOPIC',
  'SELF_TEST_TOPIC',
  'OFFSET_MOVED_EVENT',
  'CHECKPOINT_TOPIC',
]

/** A topic with Java's defaults: 16 queues, read and write. */
export function newTopic(topicName: string, queueCount = 16, perm = 6): TopicConfig {
  return {
    topicName,
    readQueueNums: queueCount,
    writeQueueNums: queueCount,
    perm,
    topicFilterType: 'SINGLE_TAG',
    topicSysFlag: 0,
    order: false,
    attributes: {},
  }
}

/**
 * The topics that a broker with these settings has from its first start, in the order Java makes them.
 * Source: TopicConfigManager#init, 5.3.x
 */
export function systemTopics(options: BrokerOptions): TopicConfig[] {
  const { clusterName, brokerName } = options
  const topics = [newTopic('SELF_TEST_TOPIC', 1)]
  if (options.autoCreateTopicEnable) topics.push(newTopic('TBW102', options.defaultTopicQueueCount, 7))
  topics.push(
    newTopic('BenchmarkTest', 1024),
    newTopic(clusterName, 16, options.clusterTopicEnable ? 7 : 1),
    newTopic(brokerName, 1, options.brokerTopicEnable ? 7 : 1),
    newTopic('OFFSET_MOVED_EVENT', 1),
    newTopic('SCHEDULE_TOPIC_XXXX', scheduleTopicQueueCount),
  )
  if (options.traceTopicEnable) topics.push(newTopic(options.traceTopicName, 1))
  topics.push(
    newTopic(`${clusterName}_REPLY_TOPIC`, 1),
    newTopic(`rmq_sys_REVIVE_LOG_${clusterName}`, options.reviveQueueNum),
    newTopic(`rmq_sys_SYNC_BROKER_MEMBER_${brokerName}`, 1, 1),
    newTopic('RMQ_SYS_TRANS_HALF_TOPIC', 1),
    newTopic('RMQ_SYS_TRANS_OP_HALF_TOPIC', 1),
  )
  if (options.timerWheelEnable) topics.push(newTopic('rmq_sys_wheel_timer', 1))
  return topics
}
