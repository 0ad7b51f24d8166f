import { type BatchEntry, decodeBatch, encodeOffsetMessageId, type Host, sysFlag } from '@rocketmq-ts/model'
import { type RemotingCommand, ResponseCode, type SendMessageHeader } from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'
import type { Random } from '@rocketmq-ts/runtime'
import type { AppendRecord, MessageStore } from '@rocketmq-ts/store'
import type { BrokerStats } from '../stats/broker-stats.ts'
import type { AckQueue } from './ack-queue.ts'
import { parseDelayLevel } from './delay-level.ts'
import { newScannedProperties, type ScannedProperties, scanProperties } from './properties-scan.ts'
import { illegalMessage, putRefusal } from './put-answers.ts'
import type { SendRefusal, SendTarget } from './send-targets.ts'
import type { StoredProperties } from './stored-properties.ts'

/** Longest topic that a batch may go to, in characters. */
const TOPIC_LENGTH_MAX = 127

export interface BatchDeps {
  readonly store: MessageStore
  readonly acks: AckQueue
  readonly properties: StoredProperties
  readonly stats: BrokerStats
  readonly random: Random
  readonly storeHost: Host
  readonly options: { readonly messageSizeMaxBytes: number }
}

/**
 * Batches: n ordinary messages that get consecutive offsets of one queue, stored together or not at all.
 *
 * The batch's own properties, and what the broker adds, follow the properties of every entry. As a batch of a 5.x producer
 * has a UNIQ_KEY of its own, which then wins over the entries' keys for readers and in the index, so it is here.
 * Source: SendMessageProcessor#sendBatchMessage, CommitLog#asyncPutMessages, 5.3.x
 */
export class BatchSender {
  readonly #deps: BatchDeps
  readonly #ofBatch = newScannedProperties()
  readonly #ofEntry = newScannedProperties()

  constructor(deps: BatchDeps) {
    this.#deps = deps
  }

  /** Stores the batch and notes its answer; why not, when it isn't stored. */
  send(
    command: RemotingCommand,
    connection: Connection,
    header: SendMessageHeader,
    target: SendTarget,
  ): SendRefusal | undefined {
    const { store, acks, stats, options } = this.#deps
    const refusal = this.#check(command, header, target)
    if (refusal !== undefined) return refusal
    const queueId = header.queueId < 0 ? this.#deps.random.int(target.config.writeQueueNums) : header.queueId
    let records: AppendRecord[]
    try {
      records = this.#records(decodeBatch(command.body as Buffer), connection, header, target, queueId)
    } catch (error) {
      return { code: ResponseCode.MESSAGE_ILLEGAL, remark: `illegal batch: ${(error as Error).message}` }
    }
    if (records.length === 0) return illegalMessage(options.messageSizeMaxBytes)
    const result = store.appendBatch(records)
    if (result.status !== 'PUT_OK') {
      stats.addPutFailure()
      return putRefusal(result.status, options.messageSizeMaxBytes, store.whyNotWritable())
    }
    stats.addPut(target.config.topicName, records.length, result.endOffset - result.physicalOffset, queueId)
    stats.addBrokerPut(target.config.topicName, records.length)
    if (command.isOneway) return undefined
    const { uniqueKey, isWaitStoreOk } = this.#ofBatch
    const ids = this.#messageIds(result.physicalOffsets)
    acks.push(connection, command.opaque, queueId, result, isWaitStoreOk, uniqueKey, ids)
    return undefined
  }

  #check(command: RemotingCommand, header: SendMessageHeader, target: SendTarget): SendRefusal | undefined {
    const { options } = this.#deps
    const { topic } = header
    if (topic.length > TOPIC_LENGTH_MAX) {
      return { code: ResponseCode.MESSAGE_ILLEGAL, remark: `message topic length too long ${topic.length}` }
    }
    if (target.retryGroup !== undefined) {
      return { code: ResponseCode.MESSAGE_ILLEGAL, remark: `batch request does not support retry group ${topic}` }
    }
    if (header.queueId < 0 && target.config.writeQueueNums <= 0) {
      const remark = `request queueId[${header.queueId}] is illegal, topic ${topic} has no queue to write to`
      return { code: ResponseCode.INVALID_PARAMETER, remark }
    }
    const scanned = this.#ofBatch
    scanProperties(header.properties ?? '', scanned)
    const level = scanned.delayText === undefined ? 0 : (parseDelayLevel(scanned.delayText) ?? 1)
    const isPlain = level <= 0 && !scanned.isTimer && (header.sysFlag & sysFlag.transactionMask) === 0
    const size = command.body?.length ?? 0
    if (!isPlain || size === 0 || size > options.messageSizeMaxBytes) return illegalMessage(options.messageSizeMaxBytes)
    if (target.needsKeys && (scanned.keys === undefined || scanned.keys.trim() === '')) {
      return { code: ResponseCode.MESSAGE_ILLEGAL, remark: 'Required message key is missing' }
    }
    return undefined
  }

  #records(
    entries: readonly BatchEntry[],
    connection: Connection,
    header: SendMessageHeader,
    target: SendTarget,
    queueId: number,
  ): AppendRecord[] {
    const { properties, storeHost } = this.#deps
    const ofBatch = this.#ofBatch
    const shared = properties.complete(header.properties ?? '', ofBatch, undefined)
    const flags = target.isMultiTag ? header.sysFlag | sysFlag.multiTags : header.sysFlag
    return entries.map(({ flag, body, propertiesText }) => {
      const ofEntry = this.#ofEntry
      scanProperties(propertiesText, ofEntry)
      return {
        topic: target.config.topicName,
        topicBytes: target.topicBytes,
        queueId,
        flag,
        sysFlag: flags,
        bornTimestamp: header.bornTimestamp,
        bornHost: connection.remoteHost,
        storeHost,
        reconsumeTimes: header.reconsumeTimes,
        preparedTransactionOffset: 0,
        body,
        properties: joined(propertiesText, ofEntry, shared),
        tagsCode: ofBatch.tagsCode === 0 ? ofEntry.tagsCode : ofBatch.tagsCode,
        keys: ofBatch.keys ?? ofEntry.keys,
        uniqueKey: ofBatch.uniqueKey ?? ofEntry.uniqueKey,
      }
    })
  }

  #messageIds(physicalOffsets: readonly number[]): string {
    const { storeHost } = this.#deps
    return physicalOffsets.map(offset => encodeOffsetMessageId(storeHost, offset)).join(',')
  }
}

function joined(text: string, scanned: ScannedProperties, shared: string): string {
  return scanned.isTerminated ? text + shared : `${text}\u0002${shared}`
}
