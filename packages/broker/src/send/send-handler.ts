import { type Host, sysFlag, systemTopics } from '@rocketmq-ts/model'
import {
  decodeSendRequest,
  type RemotingCommand,
  ResponseCode,
  responseCommand,
  type SendMessageHeader,
} from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'
import type { Random } from '@rocketmq-ts/runtime'
import type { AppendRecord, MessageStore } from '@rocketmq-ts/store'
import type { BrokerStats } from '../stats/broker-stats.ts'
import type { AckQueue } from './ack-queue.ts'
import type { BatchSender } from './batch-sender.ts'
import type { DeadLetterRule } from './dead-letter-rule.ts'
import { delayLevelCount, parseDelayLevel } from './delay-level.ts'
import { newScannedProperties, scanProperties } from './properties-scan.ts'
import { illegalMessage, putRefusal } from './put-answers.ts'
import type { SendChecks } from './send-checks.ts'
import type { SendRefusal, SendTarget } from './send-targets.ts'
import { type StoredProperties, withoutDelay, withProperty, withRealDestination } from './stored-properties.ts'

/** Read live. */
export interface SendOptions {
  readonly brokerIp1: string
  readonly brokerRole: string
  readonly enableSlaveActingMaster: boolean
  readonly rejectTransactionMessage: boolean
  readonly messageDelayLevel: string
  readonly messageSizeMaxBytes: number
  readonly regionId: string
  readonly traceOn: boolean
}

export interface SendDeps {
  readonly store: MessageStore
  readonly acks: AckQueue
  readonly checks: SendChecks
  readonly deadLetters: DeadLetterRule
  readonly properties: StoredProperties
  readonly batches: BatchSender
  readonly stats: BrokerStats
  readonly random: Random
  readonly newUniqueKey: () => string
  readonly storeHost: Host
  readonly options: SendOptions
}

/**
 * SEND_MESSAGE (10), SEND_MESSAGE_V2 (310) and SEND_BATCH_MESSAGE (320): check, encode into the log's tail, note the answer.
 *
 * Budget per plain message: the header object, the strings of its properties, keys and unique key, and the text that is
 * stored. No map, no promise, no closure, no timer.
 * Source: SendMessageProcessor, 5.3.x
 */
export class SendHandler {
  readonly #deps: SendDeps
  readonly #scanned = newScannedProperties()
  /** Reused for every append. */
  readonly #record: AppendRecord
  /** Set when the broker stops: sends are refused from then on. */
  isStopping = false

  constructor(deps: SendDeps) {
    this.#deps = deps
    this.#record = newRecord(deps.storeHost)
  }

  /** Handles one request; what it throws is answered by the router with code 1. */
  handle(command: RemotingCommand, connection: Connection): void {
    const { acks, options, checks, batches } = this.#deps
    if (options.brokerRole === 'SLAVE' && !options.enableSlaveActingMaster) {
      refuseBusy(command, connection, '[REJECTREQUEST]system busy, start flow control for a while')
      return
    }
    if (acks.isFull) {
      refuseBusy(command, connection, '[OVERLOAD]system busy, start flow control for a while')
      return
    }
    if (this.isStopping) {
      this.#refuse(command, connection, putRefusal('SERVICE_NOT_AVAILABLE', 0, 'no: the broker stops'))
      return
    }
    const header = decodeSendRequest(command)
    const target = checks.admit(header, connection)
    if (target === undefined) {
      this.#refuse(command, connection, checks.refusal)
      return
    }
    const refusal = header.batch
      ? batches.send(command, connection, header, target)
      : this.#send(command, connection, header, target)
    if (refusal !== undefined) this.#refuse(command, connection, refusal)
  }

  /** Stores one message; why not, when it isn't stored. */
  #send(
    command: RemotingCommand,
    connection: Connection,
    header: SendMessageHeader,
    target: SendTarget,
  ): SendRefusal | undefined {
    const { options, random } = this.#deps
    const record = this.#record
    const body = command.body
    if (body === undefined) return illegalMessage(options.messageSizeMaxBytes)
    let queueId = header.queueId
    if (queueId < 0) {
      const count = target.config.writeQueueNums
      if (count <= 0) return noQueue(header)
      queueId = count === 1 ? 0 : random.int(count)
    }
    record.body = body
    record.flag = header.flag
    record.sysFlag = target.isMultiTag ? header.sysFlag | sysFlag.multiTags : header.sysFlag
    record.bornTimestamp = header.bornTimestamp
    record.bornHost = connection.remoteHost
    record.reconsumeTimes = header.reconsumeTimes
    const refusal = this.#address(command, header, target, queueId)
    return refusal ?? this.#append(command, connection, queueId)
  }

  /** Decides topic, queue and properties of the record. */
  #address(
    command: RemotingCommand,
    header: SendMessageHeader,
    target: SendTarget,
    queueId: number,
  ): SendRefusal | undefined {
    const { properties, options } = this.#deps
    const record = this.#record
    const scanned = this.#scanned
    const text = header.properties ?? ''
    scanProperties(text, scanned)
    if (target.needsKeys && (scanned.keys === undefined || scanned.keys.trim() === '')) {
      return { code: ResponseCode.MESSAGE_ILLEGAL, remark: 'Required message key is missing' }
    }
    if (scanned.hasInnerCount || (header.sysFlag & sysFlag.innerBatch) !== 0) {
      return illegalMessage(options.messageSizeMaxBytes)
    }
    const newUniqueKey = scanned.uniqueKey === undefined ? this.#deps.newUniqueKey() : undefined
    record.topic = target.config.topicName
    record.topicBytes = target.topicBytes
    record.queueId = queueId
    record.tagsCode = scanned.tagsCode
    record.keys = scanned.keys
    record.uniqueKey = newUniqueKey ?? scanned.uniqueKey
    record.properties = properties.complete(text, scanned, newUniqueKey)
    if (target.retryGroup !== undefined) {
      const isDead = this.#applyDeadLetterRule(target.retryGroup, header, command.version)
      if (isDead !== false) return isDead
    }
    const isSpecial = scanned.delayText !== undefined || scanned.isTransaction || scanned.isTimer
    return isSpecial ? this.#divert(header) : undefined
  }

  /** False: not dead. Undefined: the record goes to the dead letters. */
  #applyDeadLetterRule(group: string, header: SendMessageHeader, version: number): SendRefusal | undefined | false {
    const { deadLetters } = this.#deps
    const record = this.#record
    const outcome = deadLetters.apply(group, header, version)
    if (outcome === undefined) return false
    if (typeof outcome !== 'string') return outcome
    this.#redirect(outcome, 0)
    // A dead letter waits for nobody.
    record.properties = withProperty(withoutDelay(record.properties as string), 'DELAY', '-1')
    return undefined
  }

  /** Messages that go somewhere else first: half messages and delayed ones. */
  #divert(header: SendMessageHeader): SendRefusal | undefined {
    const { options } = this.#deps
    const scanned = this.#scanned
    let level = 0
    if (scanned.delayText !== undefined) {
      const parsed = parseDelayLevel(scanned.delayText)
      if (parsed === undefined) {
        const remark = `the property DELAY is "${scanned.delayText.slice(0, 40)}"; it must be a delay level, a whole number`
        return { code: ResponseCode.MESSAGE_ILLEGAL, remark }
      }
      level = parsed
    }
    if (scanned.isTransaction && !(header.reconsumeTimes > 0 && level > 0)) {
      if (!options.rejectTransactionMessage) return this.#makeHalf()
      const remark = `the broker[${options.brokerIp1}] sending transaction message is forbidden`
      return { code: ResponseCode.NO_PERMISSION, remark }
    }
    const type = header.sysFlag & sysFlag.transactionMask
    if (type !== 0 && type !== sysFlag.transactionCommit) return undefined
    if (level > 0) return this.#delay(level)
    if (!scanned.isTimer) return undefined
    const remark = 'accurate timer message is not enabled, timerWheelEnable is false'
    return { code: ResponseCode.SYSTEM_ERROR, remark }
  }

  /** Source: TransactionalMessageBridge#parseHalfMessageInner, 5.3.x */
  #makeHalf(): undefined {
    const record = this.#record
    let text = withoutDelay(record.properties as string)
    text = withProperty(text, '__transactionId__', record.uniqueKey as string)
    record.properties = withRealDestination(text, record.topic, record.queueId)
    record.sysFlag &= ~sysFlag.transactionMask
    this.#redirect(systemTopics.transactionHalf, 0)
    return undefined
  }

  /** Source: HookUtils#transformDelayLevelMessage, 5.3.x */
  #delay(asked: number): undefined {
    const { options } = this.#deps
    const record = this.#record
    const level = Math.min(asked, delayLevelCount(options.messageDelayLevel))
    let text = record.properties as string
    if (this.#scanned.isTimer || level !== asked) text = withProperty(withoutDelay(text), 'DELAY', String(level))
    record.properties = withRealDestination(text, record.topic, record.queueId)
    this.#redirect(systemTopics.schedule, level - 1)
    return undefined
  }

  #redirect(topic: string, queueId: number): void {
    const record = this.#record
    const target = this.#deps.checks.systemTarget(topic)
    record.topic = topic
    record.topicBytes = target.topicBytes
    record.queueId = queueId
  }

  /** `queueId`: what the producer is told, which for a diverted message isn't the record's. */
  #append(command: RemotingCommand, connection: Connection, queueId: number): SendRefusal | undefined {
    const { store, stats, acks, options } = this.#deps
    const record = this.#record
    const result = store.append(record)
    if (result.status !== 'PUT_OK') {
      stats.addPutFailure()
      return putRefusal(result.status, options.messageSizeMaxBytes, store.whyNotWritable())
    }
    stats.addPut(record.topic, 1, result.endOffset - result.physicalOffset, record.queueId)
    stats.addBrokerPut(record.topic, 1)
    if (command.isOneway) return undefined
    acks.push(connection, command.opaque, queueId, result, this.#scanned.isWaitStoreOk, record.uniqueKey, undefined)
    return undefined
  }

  #refuse(command: RemotingCommand, connection: Connection, refusal: SendRefusal): void {
    if (command.isOneway) return
    const { regionId, traceOn } = this.#deps.options
    const ext = { MSG_REGION: regionId, TRACE_ON: String(traceOn) }
    connection.respond(command, responseCommand(command, refusal.code, refusal.remark, ext))
  }
}

function newRecord(storeHost: Host): AppendRecord {
  return {
    topic: '',
    topicBytes: Buffer.alloc(0),
    queueId: 0,
    flag: 0,
    sysFlag: 0,
    bornTimestamp: 0,
    bornHost: storeHost,
    storeHost,
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.alloc(0),
    properties: '',
    tagsCode: 0,
    keys: undefined,
    uniqueKey: undefined,
  }
}

function refuseBusy(command: RemotingCommand, connection: Connection, remark: string): void {
  connection.respond(command, responseCommand(command, ResponseCode.SYSTEM_BUSY, remark))
}

function noQueue(header: SendMessageHeader): SendRefusal {
  const remark = `request queueId[${header.queueId}] is illegal, topic ${header.topic} has no queue to write to`
  return { code: ResponseCode.INVALID_PARAMETER, remark }
}
