import { RocketMqError } from '@rocketmq-ts/runtime'
import { isBlank } from './java-text.ts'

/** Longest topic that clients and brokers accept, in characters. */
export const TOPIC_MAX_LENGTH = 127
/** Longest retry topic that a broker stores, in bytes. */
export const RETRY_TOPIC_MAX_LENGTH = 255
/** Longest group that clients accept, in characters. */
export const GROUP_MAX_LENGTH = 255

const PATTERN = '^[%|a-zA-Z0-9_-]+$'
const legal = new RegExp(PATTERN)

/** True when every character may stand in a topic or group. */
export function hasLegalCharacters(name: string): boolean {
  return name === '' || legal.test(name)
}

/**
 * Why this can't be a topic, in the words of Java's broker; undefined when it can.
 * Source: TopicValidator#validateTopic, 5.3.x.
 */
export function topicProblem(topic: string): string | undefined {
  if (isBlank(topic)) return 'The specified topic is blank.'
  if (!hasLegalCharacters(topic)) return `The specified topic contains illegal characters, allowing only ${PATTERN}`
  if (topic.length > TOPIC_MAX_LENGTH) return 'The specified topic is longer than topic max length.'
  return undefined
}

/** Why this can't be a group; undefined when it can. Source: Validators#checkGroup, 5.3.x. */
export function groupProblem(group: string): string | undefined {
  if (isBlank(group)) return 'the specified group is blank'
  if (group.length > GROUP_MAX_LENGTH) return `the specified group is longer than group max length ${GROUP_MAX_LENGTH}.`
  if (!hasLegalCharacters(group)) {
    return `the specified group[${group}] contains illegal characters, allowing only ${PATTERN}`
  }
  return undefined
}

/** Throws INVALID_ARGUMENT when `topic` can't be a topic. */
export function assertTopic(topic: string): void {
  const problem = topicProblem(topic)
  if (problem !== undefined) {
    throw new RocketMqError('INVALID_ARGUMENT', `${problem} (topic ${JSON.stringify(topic.slice(0, 200))})`)
  }
}

/** Throws INVALID_ARGUMENT when `group` can't be a group. */
export function assertGroup(group: string): void {
  const problem = groupProblem(group)
  if (problem !== undefined) {
    throw new RocketMqError('INVALID_ARGUMENT', `${problem} (group ${JSON.stringify(group.slice(0, 300))})`)
  }
}
