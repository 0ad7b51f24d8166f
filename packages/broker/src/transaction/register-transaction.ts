import { decodeOffsetMessageId, propertyNames } from '@rocketmq-ts/model'
import { endTransaction, ResponseCode, responseCommand, resumeCheckHalfMessage } from '@rocketmq-ts/protocol'
import type { Reply, Router } from '@rocketmq-ts/remoting'
import type { MessageStore } from '@rocketmq-ts/store'
import { DeliveredRecord } from '../schedule/delivered-record.ts'
import type { SendRefusal } from '../send/send-targets.ts'
import { type EndOptions, EndTransactionHandler, endRefusal } from './end-transaction-handler.ts'
import { asHalf, withSet } from './half-records.ts'
import { type TransactionDeps, TransactionService } from './transaction-service.ts'

export interface TransactionRegistration extends Omit<TransactionDeps, 'answer'> {
  readonly options: TransactionDeps['options'] & EndOptions
  /** Resolves when the log is written up to `endOffset`; rejects when what was appended there is lost. */
  readonly whenWritten: (endOffset: number) => Promise<void>
}

/** Registers what ends transactions; returns what asks about those that don't end, not yet running. */
export function registerTransactions(router: Router, deps: TransactionRegistration): TransactionService {
  const service = new TransactionService({
    ...deps,
    answer: (command, connection, isWritten) => {
      const { code, remark } = isWritten ? success : endRefusal('SERVICE_NOT_AVAILABLE', 0)
      connection.respond(command, responseCommand(command, code, remark === '' ? undefined : remark))
    },
  })
  const handler = new EndTransactionHandler({ ...deps, service })
  router.handle(endTransaction, ({ header, command, connection }) => {
    const outcome = handler.handle(header, command, connection)
    return outcome instanceof Promise ? outcome.then(replyOf) : replyOf(outcome)
  })
  router.handle(resumeCheckHalfMessage, ({ header }) => resume(header.msgId ?? '', deps))
  return service
}

const success: SendRefusal = { code: ResponseCode.SUCCESS, remark: '' }

function replyOf(outcome: SendRefusal | undefined): Reply<object> | undefined {
  if (outcome === undefined) return undefined
  return { code: outcome.code, remark: outcome.remark === '' ? undefined : outcome.remark }
}

/**
 * RESUME_CHECK_HALF_MESSAGE (323): a message that was given up becomes a half message again, whose producer is asked anew.
 * Source: AdminBrokerProcessor#resumeCheckHalfMessage, 5.3.x
 */
async function resume(messageId: string, deps: TransactionRegistration): Promise<Reply<never>> {
  try {
    const stored = await deps.store.messageAt(decodeOffsetMessageId(messageId).physicalOffset)
    const endOffset = stored === undefined ? 0 : putBack(stored, deps.store)
    if (endOffset > 0) {
      await deps.whenWritten(endOffset)
      return {}
    }
    return { code: ResponseCode.SYSTEM_ERROR, remark: 'Put message back to RMQ_SYS_TRANS_HALF_TOPIC failed.' }
  } catch {
    const remark = 'Exception was thrown when putting message back to RMQ_SYS_TRANS_HALF_TOPIC.'
    return { code: ResponseCode.SYSTEM_ERROR, remark }
  }
}

/** The end of the half message in the log; 0 when it isn't stored. */
function putBack(stored: Buffer, store: MessageStore): number {
  const delivered = new DeliveredRecord()
  if (delivered.take(stored) !== undefined) return 0
  asHalf(delivered.record, withSet(delivered.propertiesText, propertyNames.transactionCheckTimes, '0'))
  const result = store.append(delivered.record)
  return result.status === 'PUT_OK' ? result.endOffset : 0
}
