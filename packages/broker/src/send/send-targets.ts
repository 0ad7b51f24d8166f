import {
  groupOfRetryOrDlqTopic,
  isRetryTopic,
  isSendRefusedTopic,
  type TopicConfig,
  topicProblem,
} from '@rocketmq-ts/model'
import { ResponseCode } from '@rocketmq-ts/protocol'
import type { TopicTable } from '../topic/topic-table.ts'

/** Why a send isn't stored. */
export interface SendRefusal {
  readonly code: number
  readonly remark: string
}

/** A topic as the send path sees it: what would otherwise be worked out for every message. */
export interface SendTarget {
  readonly config: TopicConfig
  readonly topicBytes: Buffer
  /** Why nothing may be sent there; undefined for nearly all topics. */
  readonly refusal: SendRefusal | undefined
  /** Of a retry topic. */
  readonly retryGroup: string | undefined
  readonly needsKeys: boolean
  readonly isMultiTag: boolean
  /** Queue ids from here on are refused. */
  readonly queueIdLimit: number
}

/** Targets kept beyond the number of topics, before those of deleted topics are cleared away. */
const SPARE_TARGETS = 1024

/** The targets by topic. A target is made anew when the topic's configuration has been replaced. */
export class SendTargets {
  readonly #topics: TopicTable
  readonly #targets = new Map<string, SendTarget>()

  constructor(topics: TopicTable) {
    this.#topics = topics
  }

  /** The target of an existing topic; undefined when the topic doesn't exist. */
  find(topic: string): SendTarget | undefined {
    const config = this.#topics.get(topic)
    if (config === undefined) return undefined
    const known = this.#targets.get(topic)
    return known !== undefined && known.config === config ? known : this.of(config)
  }

  /** The target of a topic that has just been made. */
  of(config: TopicConfig): SendTarget {
    if (this.#targets.size > this.#topics.size + SPARE_TARGETS) this.#targets.clear()
    const target = describe(config)
    this.#targets.set(config.topicName, target)
    return target
  }
}

/**
 * Why a client may not send to a topic of that name, whether it exists or not.
 * Source: AbstractSendMessageProcessor#msgCheck, 5.3.x
 */
export function nameRefusal(topic: string): SendRefusal | undefined {
  const problem = topicProblem(topic)
  if (problem !== undefined) return { code: ResponseCode.INVALID_PARAMETER, remark: problem }
  if (isSendRefusedTopic(topic)) {
    return { code: ResponseCode.NO_PERMISSION, remark: `Sending message to topic[${topic}] is forbidden.` }
  }
  return undefined
}

function describe(config: TopicConfig): SendTarget {
  const topic = config.topicName
  return {
    config,
    topicBytes: Buffer.from(topic),
    refusal: nameRefusal(topic),
    retryGroup: isRetryTopic(topic) ? groupOfRetryOrDlqTopic(topic) : undefined,
    needsKeys: config.attributes['cleanup.policy'] === 'COMPACTION',
    isMultiTag: config.topicFilterType === 'MULTI_TAG',
    queueIdLimit: Math.max(config.writeQueueNums, config.readQueueNums),
  }
}
