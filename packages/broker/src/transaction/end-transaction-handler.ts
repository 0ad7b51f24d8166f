import {
  decodeStoredMessage,
  findProperty,
  propertyNames,
  recordLayout,
  sysFlag,
  systemTopics,
} from '@rocketmq-ts/model'
import { readInt32, readInt64 } from '@rocketmq-ts/model/internal'
import { type endTransaction, type RemotingCommand, type RequestOf, ResponseCode } from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'
import type { Clock } from '@rocketmq-ts/runtime'
import type { MessageStore, PutStatus } from '@rocketmq-ts/store'
import { DeliveredRecord } from '../schedule/delivered-record.ts'
import { illegalMessage } from '../send/put-answers.ts'
import type { SendRefusal } from '../send/send-targets.ts'
import type { BrokerStats } from '../stats/broker-stats.ts'
import { immunityMs } from './half-records.ts'
import type { TransactionService } from './transaction-service.ts'

type EndHeader = RequestOf<typeof endTransaction>

/** Read live. */
export interface EndOptions {
  readonly brokerRole: string
  readonly transactionTimeoutMs: number
  readonly messageSizeMaxBytes: number
}

export interface EndDeps {
  readonly store: MessageStore
  readonly stats: BrokerStats
  readonly clock: Clock
  readonly service: TransactionService
  readonly options: EndOptions
}

/** The transaction has ended, now or before. */
const ENDED: SendRefusal = { code: ResponseCode.SUCCESS, remark: '' }

/**
 * END_TRANSACTION (37): commits or rolls back a half message. Committing appends the message that its consumers get; only
 * when that is written does an op message tell that the half is done.
 *
 * Budget per commit: the header with its strings, the property text and the record's view. No promise unless the half must
 * be read from a file. Source: EndTransactionProcessor#processRequest, 5.3.x
 */
export class EndTransactionHandler {
  readonly #deps: EndDeps
  readonly #record = new DeliveredRecord()

  constructor(deps: EndDeps) {
    this.#deps = deps
  }

  /** The answer; undefined when it comes later, or never. A promise when the half message must be read from a file. */
  handle(
    header: EndHeader,
    command: RemotingCommand,
    connection: Connection,
  ): SendRefusal | undefined | Promise<SendRefusal | undefined> {
    const { store, options, service } = this.#deps
    if (options.brokerRole === 'SLAVE') return { code: ResponseCode.SLAVE_NOT_AVAILABLE, remark: '' }
    const decision = header.commitOrRollback
    // Not decided yet: there is nothing to say to that.
    if (decision !== sysFlag.transactionCommit && decision !== sysFlag.transactionRollback) return undefined
    if (!service.isRunning) return endRefusal('SERVICE_NOT_AVAILABLE', 0)
    const stored = store.messageAt(header.commitLogOffset)
    if (stored instanceof Promise) return stored.then(read => this.#end(header, command, connection, read))
    return this.#end(header, command, connection, stored)
  }

  #end(
    header: EndHeader,
    command: RemotingCommand,
    connection: Connection,
    stored: Buffer | undefined,
  ): SendRefusal | undefined {
    const { service, store } = this.#deps
    if (!service.isRunning) return endRefusal('SERVICE_NOT_AVAILABLE', 0)
    const refusal = this.#refusal(header, stored)
    if (refusal !== undefined) return refusal
    const half = header.tranStateTableOffset
    const target = service.decisions.target(half)
    if (target === undefined) return ENDED
    if (header.commitOrRollback === sysFlag.transactionCommit) return this.#commit(header, target, command, connection)
    // It would have to wait in memory until the store takes op messages again.
    if (store.whyNotWritable() !== undefined) return endRefusal('SERVICE_NOT_AVAILABLE', 0)
    service.decisions.end(half, target)
    service.ops.add(target)
    return ENDED
  }

  /** Why the half message isn't one that this request can end. */
  #refusal(header: EndHeader, stored: Buffer | undefined): SendRefusal | undefined {
    const missing = systemError('Find prepared transaction message failed')
    if (stored === undefined || this.#record.take(stored) !== undefined) return missing
    // Java ends whatever lies there.
    if (decodeStoredMessage(stored).topic !== systemTopics.transactionHalf) return missing
    const text = this.#record.propertiesText
    if (!header.fromTransactionCheck && this.#isLate(text)) return { code: ResponseCode.ILLEGAL_OPERATION, remark: '' }
    if (findProperty(text, propertyNames.producerGroup) !== header.producerGroup) {
      return systemError('The producer group wrong')
    }
    if (readInt64(stored, recordLayout.queueOffset) !== header.tranStateTableOffset) {
      return systemError('The transaction state table offset wrong')
    }
    if (readInt64(stored, recordLayout.physicalOffset) !== header.commitLogOffset) {
      return systemError('The commit log offset wrong')
    }
    // Op messages tell of queue 0 only, as the half queue is one.
    return readInt32(stored, recordLayout.queueId) === 0 ? undefined : missing
  }

  /** Source: EndTransactionProcessor#rejectCommitOrRollback, 5.3.x */
  #isLate(text: string): boolean {
    const { options, clock } = this.#deps
    const immune = immunityMs(text, options.transactionTimeoutMs)
    if (immune === undefined) return false
    return clock.now() - this.#record.record.bornTimestamp > Math.max(immune, options.transactionTimeoutMs)
  }

  #commit(
    header: EndHeader,
    target: number,
    command: RemotingCommand,
    connection: Connection,
  ): SendRefusal | undefined {
    const { store, stats, service, options } = this.#deps
    const { record } = this.#record
    record.sysFlag = (record.sysFlag & ~sysFlag.transactionMask) | sysFlag.transactionCommit
    record.preparedTransactionOffset = header.commitLogOffset
    const result = store.append(record)
    if (result.status !== 'PUT_OK') return endRefusal(result.status, options.messageSizeMaxBytes)
    const { endOffset, physicalOffset } = result
    stats.addPut(record.topic, 1, endOffset - physicalOffset, record.queueId)
    stats.addBrokerPut(record.topic, 1)
    const half = header.tranStateTableOffset
    service.decisions.end(half, target)
    service.noteAppended(endOffset)
    service.ends.push(endOffset, half, target, command, connection)
    return undefined
  }
}

/** The answer to a commit whose message can't be stored. Source: EndTransactionProcessor#sendFinalMessage, 5.3.x */
export function endRefusal(status: PutStatus, messageSizeMaxBytes: number): SendRefusal {
  switch (status) {
    case 'MESSAGE_ILLEGAL':
    case 'PROPERTIES_SIZE_EXCEEDED': {
      const { code, remark } = illegalMessage(messageSizeMaxBytes)
      return { code, remark: `T${remark.slice(1)}` }
    }
    case 'SERVICE_NOT_AVAILABLE':
      return { code: ResponseCode.SERVICE_NOT_AVAILABLE, remark: 'Service not available now.' }
    case 'CREATE_MAPPED_FILE_FAILED':
      return systemError('Create mapped file failed.')
    default:
      return systemError('UNKNOWN_ERROR')
  }
}

function systemError(remark: string): SendRefusal {
  return { code: ResponseCode.SYSTEM_ERROR, remark }
}
