import {
  encodeOffsetMessageId,
  findProperty,
  formatHost,
  type Host,
  propertyNames,
  removeProperty,
} from '@rocketmq-ts/model'
import {
  decodeSendRequest,
  encodeHeader,
  pushReplyMessageToClient,
  type RemotingCommand,
  ResponseCode,
  requestCommand,
  type SendMessageHeader,
  sendReplyMessage,
  sendReplyMessageV2,
} from '@rocketmq-ts/protocol'
import type { Connection, Reply, Router } from '@rocketmq-ts/remoting'
import { type Clock, type Logger, type Random, RateLimitedLog } from '@rocketmq-ts/runtime'
import type { AppendRecord, MessageStore } from '@rocketmq-ts/store'
import type { ProducerGroups } from '../client/producer-groups.ts'
import { reasonOf } from '../remarks.ts'
import { newScannedProperties, scanProperties } from '../send/properties-scan.ts'
import { SendChecks } from '../send/send-checks.ts'
import type { BrokerStats } from '../stats/broker-stats.ts'
import type { TopicTable } from '../topic/topic-table.ts'

/** How long a requester may take to accept a reply. */
const PUSH_TIMEOUT_MS = 10_000

/** Read live. */
export interface ReplyOptions {
  readonly startAcceptSendRequestTimestampMs: number
  readonly brokerPermission: number
  readonly brokerIp1: string
  readonly regionId: string
  readonly traceOn: boolean
  readonly storeReplyMessageEnable: boolean
}

export interface ReplyDeps {
  readonly store: MessageStore
  readonly topics: TopicTable
  readonly producers: Pick<ProducerGroups, 'connectionOf'>
  readonly stats: BrokerStats
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly storeHost: Host
  readonly options: ReplyOptions
  /** Resolves when the log is written up to `endOffset`; rejects when what was appended there is lost. */
  readonly whenWritten: (endOffset: number) => Promise<void>
}

/** Where a reply is stored. */
interface StoredReply {
  readonly physicalOffset: number
  readonly queueOffset: number
}

/**
 * SEND_REPLY_MESSAGE (324, 325): hands the answer of a consumer to the client that asked, which is known by its client id,
 * and stores it as well unless `storeReplyMessageEnable` is off. What the replier hears is whether the requester has it.
 * Source: ReplyMessageProcessor, 5.3.x
 */
export function registerReplies(router: Router, deps: ReplyDeps): void {
  const handler = new ReplyHandler(deps)
  router.handle(sendReplyMessage, ({ command, connection }) => handler.handle(command, connection))
  router.handle(sendReplyMessageV2, ({ command, connection }) => handler.handle(command, connection))
}

class ReplyHandler {
  readonly #deps: ReplyDeps
  readonly #checks: SendChecks
  readonly #log: RateLimitedLog
  readonly #scanned = newScannedProperties()

  constructor(deps: ReplyDeps) {
    this.#deps = deps
    this.#checks = new SendChecks(deps)
    this.#log = new RateLimitedLog(deps.clock, deps.logger)
  }

  async handle(command: RemotingCommand, connection: Connection): Promise<Reply<never>> {
    const { options, random, storeHost } = this.#deps
    const ext: Record<string, string> = { MSG_REGION: options.regionId, TRACE_ON: String(options.traceOn) }
    const header = decodeSendRequest(command)
    const target = this.#checks.admit(header, connection)
    if (target === undefined) return { ...this.#checks.refusal, ext }
    const { writeQueueNums } = target.config
    const queueId = header.queueId >= 0 ? header.queueId : random.int(Math.max(1, writeQueueNums))
    // The push takes as long as the requester wants; the request's bytes don't last.
    const body = Buffer.from(command.body ?? [])
    const properties = this.#properties(header)
    const pushing = this.#push(header, properties, body, connection)
    const storing = this.#store(header, queueId, properties, body, connection, target.topicBytes)
    const [problem, stored] = await Promise.all([pushing, storing])
    ext.queueId = String(queueId)
    ext.msgId = stored === undefined ? '0' : encodeOffsetMessageId(storeHost, stored.physicalOffset)
    ext.queueOffset = String(stored?.queueOffset ?? 0)
    return problem === undefined ? { ext } : { code: ResponseCode.SYSTEM_ERROR, remark: problem, ext }
  }

  #properties(header: SendMessageHeader): string {
    const { regionId, traceOn } = this.#deps.options
    let text = removeProperty(header.properties ?? '', '__CRC32#')
    if (text !== '' && !text.endsWith('\u0002')) text += '\u0002'
    return `${text}MSG_REGION\u0001${regionId}\u0002TRACE_ON\u0001${traceOn}\u0002`
  }

  /** Why the requester doesn't have the reply, or undefined. */
  async #push(
    header: SendMessageHeader,
    properties: string,
    body: Buffer,
    connection: Connection,
  ): Promise<string | undefined> {
    const { producers, storeHost, clock } = this.#deps
    const requester = findProperty(properties, propertyNames.replyToClient)
    if (requester === undefined) return `reply message properties[${propertyNames.replyToClient}] is null`
    const channel = producers.connectionOf(requester)
    if (channel === undefined) return `push reply message fail, channel of <${requester}> not found.`
    const storeTimestamp = clock.now()
    const fields = encodeHeader(pushReplyMessageToClient.request, {
      producerGroup: header.producerGroup,
      topic: header.topic,
      defaultTopic: header.defaultTopic,
      defaultTopicQueueNums: header.defaultTopicQueueNums,
      queueId: header.queueId,
      sysFlag: header.sysFlag,
      bornTimestamp: header.bornTimestamp,
      flag: header.flag,
      properties: `${properties}${propertyNames.pushReplyTime}\u0001${storeTimestamp}\u0002`,
      reconsumeTimes: header.reconsumeTimes,
      unitMode: header.unitMode,
      bornHost: connection.remoteAddress,
      storeHost: formatHost(storeHost),
      storeTimestamp,
    })
    try {
      const answer = await channel.call(requestCommand(pushReplyMessageToClient.code, fields, body), PUSH_TIMEOUT_MS)
      if (answer.code === ResponseCode.SUCCESS) return undefined
      this.#log.warn('push', { requester, code: answer.code, remark: answer.remark }, 'a reply was not accepted')
    } catch (error) {
      this.#log.warn('push', { requester, reason: reasonOf(error) }, 'a reply could not be handed over')
    }
    return `push reply message to ${requester}fail.`
  }

  /** Where it is stored; undefined when it isn't, which the replier isn't told. */
  async #store(
    header: SendMessageHeader,
    queueId: number,
    properties: string,
    body: Buffer,
    connection: Connection,
    topicBytes: Buffer,
  ): Promise<StoredReply | undefined> {
    const { store, stats, options, storeHost } = this.#deps
    if (!options.storeReplyMessageEnable) return undefined
    scanProperties(properties, this.#scanned)
    const record: AppendRecord = {
      topic: header.topic,
      topicBytes,
      queueId,
      flag: header.flag,
      sysFlag: header.sysFlag,
      bornTimestamp: header.bornTimestamp,
      bornHost: connection.remoteHost,
      storeHost,
      reconsumeTimes: header.reconsumeTimes,
      preparedTransactionOffset: 0,
      body,
      properties,
      tagsCode: this.#scanned.tagsCode,
      keys: this.#scanned.keys,
      uniqueKey: this.#scanned.uniqueKey,
    }
    const { status, physicalOffset, queueOffset, endOffset } = store.append(record)
    if (status !== 'PUT_OK') {
      this.#log.warn('store', { topic: header.topic, status }, 'a reply is not stored')
      return undefined
    }
    stats.addPut(header.topic, 1, endOffset - physicalOffset, queueId)
    stats.addBrokerPut(header.topic, 1)
    try {
      await this.#deps.whenWritten(endOffset)
      return { physicalOffset, queueOffset }
    } catch (error) {
      this.#log.warn('store', { topic: header.topic, reason: reasonOf(error) }, 'a reply is not stored')
      return undefined
    }
  }
}
