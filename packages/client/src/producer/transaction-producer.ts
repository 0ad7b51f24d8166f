import {
  decodeOffsetMessageId,
  type Message,
  messageBody,
  messageProperties,
  propertyNames,
  sysFlag,
  withNamespace,
} from '@rocketmq-ts/model'
import {
  checkTransactionState,
  decodeHeader,
  encodeHeader,
  endTransaction,
  type RemotingCommand,
  requestCommand,
} from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'
import type { Compressor } from '../compression/compression.ts'
import type { ReceivedMessage } from '../consume/received-message.ts'
import { messagesOfRecords } from '../consume/records.ts'
import { checkMessage } from './message-preparation.ts'
import { Producer } from './producer.ts'
import type { ProducerOptions, ResolvedProducerOptions } from './producer-options.ts'
import type { SendResult } from './send-result.ts'
import type { SendOptions } from './send-types.ts'

/** How a local transaction ended. UNKNOWN: not decided yet; the broker will ask. */
export type TransactionState = 'COMMIT' | 'ROLLBACK' | 'UNKNOWN'

/** Ids of a message in a transaction. */
export interface TransactionContext {
  /** The producer's id of the message. */
  readonly messageId: string
  readonly transactionId: string
}

/** Runs the local transaction, after the half message is stored and before it can be consumed. */
export type LocalTransaction = (message: Message, context: TransactionContext) => Promise<TransactionState>

/** Tells how the local transaction of a message ended, perhaps in an earlier process. */
export type TransactionCheck = (message: ReceivedMessage, context: TransactionContext) => Promise<TransactionState>

/** Options of a transaction producer, beside those of every producer. */
export interface TransactionProducerOptions extends ProducerOptions {
  /** Asked by brokers for messages whose end they haven't heard of. */
  check: TransactionCheck
  /** Checks that run at once. Default 16; up to 2000 more wait, and the rest is left to the broker's next question. */
  checksMax?: number
}

/** What `sendInTransaction` resolves to. */
export interface TransactionSendResult extends SendResult {
  readonly state: TransactionState
}

const wireStates = { COMMIT: sysFlag.transactionCommit, ROLLBACK: sysFlag.transactionRollback, UNKNOWN: 0 } as const
const waitingChecksMax = 2000

/**
 * Sends messages that consumers see only once a local transaction has committed. Made by `createTransactionProducer`.
 * Source: DefaultMQProducerImpl#sendMessageInTransaction, checkTransactionState, 5.3.x
 */
export class TransactionProducer extends Producer {
  readonly #instance: ClientInstance
  readonly #wireGroup: string
  readonly #namespace: string | undefined

  /** @internal Use `createTransactionProducer`. */
  constructor(
    options: ResolvedProducerOptions,
    instance: ClientInstance,
    compressor: Compressor,
    checks: { check: TransactionCheck; checksMax: number },
  ) {
    const wireGroup = withNamespace(options.client.namespace, options.group)
    const checker = new TransactionChecker(instance, wireGroup, checks.check, checks.checksMax)
    super(options, instance, compressor, {
      checkTransaction: (command, connection) => checker.accept(command, connection),
    })
    this.#instance = instance
    this.#wireGroup = wireGroup
    this.#namespace = options.client.namespace
  }

  /**
   * Stores the message invisibly, runs `execute`, and tells the broker its outcome. Resolves with that outcome, once it is on
   * its way to the broker; a lost one is made up for by the broker's question (`check`). When the message isn't stored as
   * safely as asked (status other than SEND_OK), it is rolled back and `execute` is not run.
   *
   * Rejects as `send` when the message isn't stored, and with what `execute` throws: the broker then hears UNKNOWN, and will
   * ask. Delays are refused with `INVALID_ARGUMENT`: brokers lose such messages.
   */
  async sendInTransaction(
    message: Message,
    execute: LocalTransaction,
    options?: SendOptions,
  ): Promise<TransactionSendResult> {
    checkMessage(message)
    if ((message.delayLevel ?? 0) > 0 || message.delayMs !== undefined || message.deliverAtMs !== undefined) {
      throw new RocketMqError('INVALID_ARGUMENT', 'a message in a transaction cannot be delayed')
    }
    const properties = messageProperties(message)
      .set(propertyNames.transactionPrepared, 'true')
      .set(propertyNames.producerGroup, this.#wireGroup)
    const result = await this.sendRaw(
      {
        topic: message.topic,
        body: messageBody(message),
        properties,
        flag: message.flag ?? 0,
        sysFlag: sysFlag.transactionPrepared,
      },
      options,
    )
    let state: TransactionState = 'ROLLBACK'
    let remark: string | undefined
    let failure: { error: unknown } | undefined
    if (result.status === 'SEND_OK') {
      try {
        const transactionId = result.transactionId ?? result.messageId
        state = checkedState(await execute(message, { messageId: result.messageId, transactionId }))
      } catch (error) {
        state = 'UNKNOWN'
        remark = `executeLocalTransactionBranch exception: ${String(error)}`
        failure = { error }
      }
    }
    await this.#end(result, state, remark)
    if (failure) throw failure.error
    return { ...result, state }
  }

  async #end(result: SendResult, state: TransactionState, remark: string | undefined): Promise<void> {
    const topic = withNamespace(this.#namespace, result.queue.topic)
    const header = {
      topic,
      producerGroup: this.#wireGroup,
      tranStateTableOffset: result.queueOffset,
      commitLogOffset: decodeOffsetMessageId(result.offsetMessageId).physicalOffset,
      commitOrRollback: wireStates[state],
      fromTransactionCheck: false,
      msgId: result.messageId,
      transactionId: result.transactionId,
      bname: result.queue.brokerName,
    }
    try {
      const address = await this.#instance.masterOf({ ...result.queue, topic })
      await this.#instance.rpc.sendOneway(address, endCommand(header, remark))
    } catch (error) {
      this.#instance.logger.warn({ topic, messageId: result.messageId, err: error }, 'end of transaction not sent')
    }
  }
}

interface Check {
  readonly command: RemotingCommand
  readonly body: Buffer
  readonly connection: Connection
}

/** Answers the questions of brokers, some at a time. */
class TransactionChecker {
  readonly #instance: ClientInstance
  readonly #wireGroup: string
  readonly #check: TransactionCheck
  readonly #checksMax: number
  readonly #waiting: Check[] = []
  #running = 0

  constructor(instance: ClientInstance, wireGroup: string, check: TransactionCheck, checksMax: number) {
    this.#instance = instance
    this.#wireGroup = wireGroup
    this.#check = check
    this.#checksMax = checksMax
  }

  accept(command: RemotingCommand, connection: Connection): void {
    if (command.body === undefined) return
    if (this.#waiting.length >= waitingChecksMax) {
      this.#instance.logger.warn(
        { group: this.#wireGroup },
        'too many transaction checks wait; the broker will ask again',
      )
      return
    }
    this.#waiting.push({ command, body: Buffer.from(command.body), connection })
    this.#next()
  }

  #next(): void {
    while (this.#running < this.#checksMax) {
      const check = this.#waiting.shift()
      if (check === undefined) return
      this.#running++
      this.#answer(check)
        .catch(error => this.#instance.logger.warn({ err: error }, 'a transaction check could not be answered'))
        .finally(() => {
          this.#running--
          this.#next()
        })
    }
  }

  async #answer({ command, body, connection }: Check): Promise<void> {
    const header = decodeHeader(checkTransactionState.request, command.extFields)
    const namespace = this.#instance.options.namespace ?? ''
    const [message] = messagesOfRecords(body, header.bname ?? '', namespace)
    if (message === undefined || message.property(propertyNames.producerGroup) !== this.#wireGroup) return
    const { messageId } = message
    let state: TransactionState = 'UNKNOWN'
    let remark: string | undefined
    try {
      state = checkedState(await this.#check(message, { messageId, transactionId: header.transactionId ?? messageId }))
    } catch (error) {
      remark = `checkLocalTransactionState Exception: ${String(error)}`
      this.#instance.logger.warn({ messageId, err: error }, 'a transaction check failed')
    }
    const end = {
      topic: message.storedTopic,
      producerGroup: this.#wireGroup,
      tranStateTableOffset: header.tranStateTableOffset,
      commitLogOffset: header.commitLogOffset,
      commitOrRollback: wireStates[state],
      fromTransactionCheck: true,
      msgId: messageId,
      transactionId: header.transactionId,
      bname: header.bname,
    }
    await this.#instance.rpc.sendOneway(connection.remoteAddress, endCommand(end, remark))
  }
}

function endCommand(
  header: Parameters<typeof encodeHeader<typeof endTransaction.request>>[1],
  remark: string | undefined,
): RemotingCommand {
  const command = requestCommand(endTransaction.code, encodeHeader(endTransaction.request, header))
  command.remark = remark
  return command
}

function checkedState(state: unknown): TransactionState {
  if (state === 'COMMIT' || state === 'ROLLBACK' || state === 'UNKNOWN') return state
  throw new RocketMqError(
    'INVALID_ARGUMENT',
    `a transaction ends with COMMIT, ROLLBACK or UNKNOWN, not ${String(state)}`,
  )
}
