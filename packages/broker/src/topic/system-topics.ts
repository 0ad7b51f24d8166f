import {
  perm,
  replyTopic,
  reviveTopic,
  syncBrokerMemberTopic,
  systemTopics,
  type TopicConfig,
  timerTopic,
  topicConfig,
} from '@rocketmq-ts/model'
import type { BrokerOptions } from '../options.ts'

/** One queue for each of the eighteen delay levels. */
const scheduleTopicQueueCount = 18
const benchmarkTopicQueueCount = 1024
const readWrite = perm.read | perm.write

/** A topic with `queueCount` read and write queues. */
export function topicOf(topicName: string, queueCount: number, permission: number = readWrite): TopicConfig {
  return topicConfig(topicName, { readQueueNums: queueCount, writeQueueNums: queueCount, perm: permission })
}

/**
 * The topics that a broker with these settings has from its first start, in the order Java makes them.
 * Source: TopicConfigManager#init, 5.3.x
 */
export function presetTopics(options: BrokerOptions): TopicConfig[] {
  const { clusterName, brokerName } = options
  const inherited = (isEnabled: boolean) => perm.inherit | (isEnabled ? readWrite : 0)
  const topics = [topicOf(systemTopics.selfTest, 1)]
  if (options.autoCreateTopicEnable) {
    topics.push(topicOf(systemTopics.autoCreateKey, options.defaultTopicQueueCount, inherited(true)))
  }
  topics.push(
    topicOf(systemTopics.benchmark, benchmarkTopicQueueCount),
    topicOf(clusterName, 16, inherited(options.clusterTopicEnable)),
    topicOf(brokerName, 1, inherited(options.brokerTopicEnable)),
    topicOf(systemTopics.offsetMovedEvent, 1),
    topicOf(systemTopics.schedule, scheduleTopicQueueCount),
  )
  if (options.traceTopicEnable) topics.push(topicOf(options.traceTopicName, 1))
  topics.push(
    topicOf(replyTopic(clusterName), 1),
    topicOf(reviveTopic(clusterName), options.reviveQueueNum),
    topicOf(syncBrokerMemberTopic(brokerName), 1, perm.inherit),
    topicOf(systemTopics.transactionHalf, 1),
    topicOf(systemTopics.transactionOpHalf, 1),
  )
  if (options.timerWheelEnable) topics.push(topicOf(timerTopic, 1))
  return topics
}
