import { isValidPerm, type TopicConfig, topicAttributes, topicProblem } from '@rocketmq-ts/model'
import type { BrokerOptions } from '../options.ts'
import type { TopicTable } from './topic-table.ts'

/** Most queues of a topic. Java has no bound, and a request for two billion stops it; no use is known above a few thousand. */
export const topicQueueCountMax = 65_536

/**
 * Why a client may not create or change this topic, in Java's words; `undefined` when it may. `changes` are its signed
 * attribute changes. Source: AdminBrokerProcessor#updateAndCreateTopic, 5.3.x
 */
export function topicRefusal(
  topic: TopicConfig,
  changes: ReadonlyMap<string, string>,
  deps: { topics: TopicTable; options: BrokerOptions },
): string | undefined {
  const problem = topicProblem(topic.topicName) ?? systemRefusal(topic.topicName, deps)
  if (problem !== undefined) return problem
  const messageType = changes.get(`+${topicAttributes.messageType.name}`)
  if (messageType === 'MIXED' && !deps.options.enableMixedMessageType) return 'MIXED message type is not supported.'
  for (const count of [topic.readQueueNums, topic.writeQueueNums]) {
    if (count < 0 || count > topicQueueCountMax)
      return `The number of queues ${count} is not in 0 to ${topicQueueCountMax}.`
  }
  return isValidPerm(topic.perm) ? undefined : `The perm ${topic.perm} is not in 0 to 7.`
}

/** Why this name is the system's; `undefined` when it isn't, or when system topics may be changed. */
export function systemRefusal(
  topicName: string,
  deps: { topics: TopicTable; options: BrokerOptions },
): string | undefined {
  if (!deps.options.validateSystemTopicWhenUpdateTopic || !deps.topics.isSystem(topicName)) return undefined
  return `The topic[${topicName}] is conflict with system topic.`
}

/** True when an update without attribute changes would change nothing. */
export function isSameTopic(a: TopicConfig, b: TopicConfig | undefined): boolean {
  return (
    b !== undefined &&
    a.readQueueNums === b.readQueueNums &&
    a.writeQueueNums === b.writeQueueNums &&
    a.perm === b.perm &&
    a.topicSysFlag === b.topicSysFlag &&
    a.order === b.order &&
    a.topicFilterType === b.topicFilterType &&
    Object.keys(b.attributes).length === 0
  )
}
