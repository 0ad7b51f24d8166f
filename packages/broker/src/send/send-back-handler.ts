import {
  decodeProperties,
  decodeStoredMessage,
  dlqTopic,
  encodeOffsetMessageId,
  encodeProperties,
  retryTopic,
  type StoredMessage,
  systemTopics,
  tagsCodeOf,
  topicSysFlag,
} from '@rocketmq-ts/model'
import { consumerSendMsgBack, type RequestOf, ResponseCode } from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { Random } from '@rocketmq-ts/runtime'
import type { AppendRecord, MessageStore } from '@rocketmq-ts/store'
import type { BrokerStats } from '../stats/broker-stats.ts'
import type { SubscriptionGroupTable } from '../subscription/group-table.ts'
import type { TopicTable } from '../topic/topic-table.ts'
import { retryLimit, unknownGroup } from './dead-letter-rule.ts'
import { delayLevelCount } from './delay-level.ts'
import type { SendRefusal } from './send-targets.ts'

/** Level of the first attempt when the consumer leaves it to the broker; each further attempt is one higher. */
const FIRST_RETRY_LEVEL = 3
const writePermission = 2

/** Read live. */
export interface SendBackOptions {
  readonly brokerPermission: number
  readonly brokerRole: string
  readonly brokerIp1: string
  readonly messageDelayLevel: string
}

export interface SendBackDeps {
  readonly store: MessageStore
  readonly topics: TopicTable
  readonly groups: SubscriptionGroupTable
  readonly stats: BrokerStats
  readonly random: Random
  readonly storeHost: AppendRecord['storeHost']
  readonly options: SendBackOptions
  /** Resolves when the log is safe up to `endOffset`; rejects when what was appended there is lost. */
  readonly whenWritten: (endOffset: number) => Promise<void>
}

type SendBackHeader = RequestOf<typeof consumerSendMsgBack>

/** Where the copy goes. */
interface Destination {
  readonly topic: string
  readonly queueId: number
  /** 0: at once. */
  readonly delayLevel: number
}

/**
 * CONSUMER_SEND_MSG_BACK (36): stores a copy of a message for another attempt of its group, after a delay, or among the
 * group's dead letters when the attempts are used up. Source: AbstractSendMessageProcessor#consumerSendMsgBack, 5.3.x
 */
export function registerSendBack(router: Router, deps: SendBackDeps): void {
  router.handle(consumerSendMsgBack, async ({ header, command }) => {
    const refusal = await sendBack(header, command.version, deps)
    return refusal === undefined ? {} : { code: refusal.code, remark: refusal.remark }
  })
}

async function sendBack(header: SendBackHeader, version: number, deps: SendBackDeps): Promise<SendRefusal | undefined> {
  const { groups, topics, options, random, store } = deps
  if (options.brokerRole === 'SLAVE') {
    return systemError(`no master available along with ${options.brokerIp1}`)
  }
  const { group } = header
  const config = groups.find(group)
  if (config === undefined) return unknownGroup(group)
  if ((options.brokerPermission & writePermission) === 0) {
    const remark = `the broker[${options.brokerIp1}] sending message is forbidden`
    return { code: ResponseCode.NO_PERMISSION, remark }
  }
  // Deliberate in Java: a group without retry queues wants no second attempt.
  if (config.retryQueueNums <= 0) return undefined
  const sysFlagOfTopic = header.unitMode ? topicSysFlag.unitSubscription : 0
  const retry = topics.ensureRetryTopic(group, config.retryQueueNums, { sysFlag: sysFlagOfTopic })
  if ((retry.perm & writePermission) === 0) {
    const remark = `the topic[${retry.topicName}] sending message is forbidden`
    return { code: ResponseCode.NO_PERMISSION, remark }
  }
  const record = await store.messageAt(header.offset)
  if (record === undefined) return systemError(`look message by offset failed, ${header.offset}`)
  const message = decodeStoredMessage(record, 0)
  const limit = retryLimit(config, version, header.maxReconsumeTimes)
  const isDead = message.reconsumeTimes >= limit || header.delayLevel < 0
  const level = header.delayLevel === 0 ? FIRST_RETRY_LEVEL + message.reconsumeTimes : header.delayLevel
  const destination: Destination = isDead
    ? { topic: topics.ensureBackTopic(dlqTopic(group), 1).topicName, queueId: 0, delayLevel: 0 }
    : { topic: retryTopic(group), queueId: random.int(config.retryQueueNums), delayLevel: level }
  return storeCopy(message, destination, header, isDead, deps)
}

async function storeCopy(
  message: StoredMessage,
  destination: Destination,
  header: SendBackHeader,
  isDead: boolean,
  deps: SendBackDeps,
): Promise<SendRefusal | undefined> {
  const { store, stats } = deps
  const properties = decodeProperties(message.propertiesText)
  const originTopic = properties.get('RETRY_TOPIC') ?? message.topic
  const record = copyOf(message, destination, properties, deps)
  const result = store.append(record)
  if (result.status !== 'PUT_OK') return systemError(result.status)
  const { endOffset, physicalOffset } = result
  stats.addPut(record.topic, 1, endOffset - physicalOffset, record.queueId)
  stats.addSendBack(header.group, originTopic)
  if (isDead) stats.addDeadLetter(header.group, originTopic)
  try {
    await deps.whenWritten(endOffset)
    return undefined
  } catch (error) {
    return systemError(error instanceof Error ? error.message : String(error))
  }
}

/** The record to be stored; `properties` (the message's) are changed. */
function copyOf(
  message: StoredMessage,
  destination: Destination,
  properties: Map<string, string>,
  deps: SendBackDeps,
): AppendRecord {
  const { topic, queueId, delayLevel } = destination
  if (!properties.has('RETRY_TOPIC')) properties.set('RETRY_TOPIC', message.topic)
  if (!properties.has('ORIGIN_MESSAGE_ID')) {
    properties.set('ORIGIN_MESSAGE_ID', encodeOffsetMessageId(message.storeHost, message.physicalOffset))
  }
  properties.set('WAIT', 'false')
  properties.delete('__CRC32#')
  for (const name of ['TIMER_DELAY_SEC', 'TIMER_DELAY_MS', 'TIMER_DELIVER_MS']) properties.delete(name)
  const level = Math.min(delayLevel, delayLevelCount(deps.options.messageDelayLevel))
  properties.set('DELAY', String(level))
  if (level > 0) {
    properties.set('REAL_TOPIC', topic)
    properties.set('REAL_QID', String(queueId))
  }
  const storedTopic = level > 0 ? systemTopics.schedule : topic
  return {
    topic: storedTopic,
    topicBytes: Buffer.from(storedTopic),
    queueId: level > 0 ? level - 1 : queueId,
    flag: message.flag,
    sysFlag: message.sysFlag,
    bornTimestamp: message.bornTimestamp,
    bornHost: message.bornHost,
    storeHost: deps.storeHost,
    reconsumeTimes: message.reconsumeTimes + 1,
    preparedTransactionOffset: 0,
    body: message.body,
    properties: encodeProperties(properties),
    tagsCode: tagsCodeOf(properties.get('TAGS')),
    keys: properties.get('KEYS'),
    uniqueKey: properties.get('UNIQ_KEY'),
  }
}

function systemError(remark: string): SendRefusal {
  return { code: ResponseCode.SYSTEM_ERROR, remark }
}
