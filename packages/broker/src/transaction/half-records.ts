import {
  encodeOffsetMessageId,
  encodeStoredMessage,
  findProperty,
  magicV1,
  magicV2,
  propertyNames,
  removeProperty,
  type StoredMessage,
  systemTopics,
  V1_TOPIC_LIMIT_BYTES,
} from '@rocketmq-ts/model'
import { checkTransactionState, encodeHeader, type RemotingCommand, requestCommand } from '@rocketmq-ts/protocol'
import type { AppendRecord, AppendResult } from '@rocketmq-ts/store'

const halfTopicBytes = Buffer.from(systemTopics.transactionHalf)
const discardTopicBytes = Buffer.from(systemTopics.transactionCheckMaxTime)
const wholeNumber = /^\d{1,15}$/

/** Makes `record` a half message again, with other properties. */
export function asHalf(record: AppendRecord, propertiesText: string): void {
  record.topic = systemTopics.transactionHalf
  record.topicBytes = halfTopicBytes
  record.queueId = 0
  record.preparedTransactionOffset = 0
  record.properties = propertiesText
}

/** Makes `record` one that nobody is asked about any more. */
export function asDiscarded(record: AppendRecord): void {
  record.topic = systemTopics.transactionCheckMaxTime
  record.topicBytes = discardTopicBytes
  record.queueId = 0
  record.preparedTransactionOffset = 0
}

/** `text` with one property set. */
export function withSet(text: string, name: string, value: string): string {
  const rest = removeProperty(text, name)
  return `${rest}${rest === '' || rest.endsWith('\u0002') ? '' : '\u0002'}${name}\u0001${value}\u0002`
}

/** A property that is a whole number of at most 15 digits; undefined when there is none. */
export function numberProperty(text: string, name: string): number | undefined {
  const value = findProperty(text, name)
  return value !== undefined && wholeNumber.test(value) ? Number(value) : undefined
}

/** How often producers have been asked about a half message. */
export function checkTimes(text: string): number {
  return numberProperty(text, propertyNames.transactionCheckTimes) ?? 0
}

/**
 * How long a producer may take before it is asked, ms: the message's CHECK_IMMUNITY_TIME_IN_SECONDS; undefined without it.
 * Source: TransactionalMessageServiceImpl#getImmunityTime, 5.3.x
 */
export function immunityMs(text: string, transactionTimeoutMs: number): number | undefined {
  const value = findProperty(text, propertyNames.checkImmunityTimeInSeconds)
  if (value === undefined || value === '') return undefined
  const isNumber = /^[+-]?\d{1,12}$/.test(value)
  return isNumber && Number(value) !== -1 ? Number(value) * 1000 : transactionTimeoutMs
}

/**
 * The question how a transaction ended, about `half`'s copy at the place that `stored` says, whose properties are
 * `propertiesText`. Source: AbstractTransactionalMessageCheckListener#sendCheckMessage, 5.3.x
 */
export function checkCommand(
  half: StoredMessage,
  record: AppendRecord,
  stored: AppendResult,
  propertiesText: string,
  brokerName: string,
): RemotingCommand {
  const topic = findProperty(propertiesText, propertyNames.realTopic) ?? ''
  const { queueOffset, physicalOffset, storeTimestamp } = stored
  const body = encodeStoredMessage({
    magic: Buffer.byteLength(topic) > V1_TOPIC_LIMIT_BYTES ? magicV2 : magicV1,
    bodyCrc: half.bodyCrc,
    queueId: numberProperty(propertiesText, propertyNames.realQueueId) ?? 0,
    flag: half.flag,
    queueOffset,
    physicalOffset,
    sysFlag: half.sysFlag,
    bornTimestamp: half.bornTimestamp,
    bornHost: half.bornHost,
    storeTimestamp,
    storeHost: half.storeHost,
    reconsumeTimes: half.reconsumeTimes,
    preparedTransactionOffset: 0,
    body: half.body,
    topic,
    propertiesText,
  })
  const header = {
    topic: systemTopics.transactionHalf,
    tranStateTableOffset: queueOffset,
    commitLogOffset: physicalOffset,
    msgId: record.uniqueKey,
    transactionId: record.uniqueKey,
    offsetMsgId: encodeOffsetMessageId(half.storeHost, physicalOffset),
    bname: brokerName,
  }
  return requestCommand(checkTransactionState.code, encodeHeader(checkTransactionState.request, header), body)
}
