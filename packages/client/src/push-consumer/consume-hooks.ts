import type { MessageQueue } from '@rocketmq-ts/model'
import type { Logger } from '@rocketmq-ts/runtime'
import type { ReceivedMessage } from '../consume/received-message.ts'

/**
 * How a call of the handler ended. TIME_OUT: it took longer than the consume time-out, whatever it returned.
 * Source: ConsumeReturnType, 5.3.x
 */
export type ConsumeReturnType = 'SUCCESS' | 'TIME_OUT' | 'EXCEPTION' | 'RETURNNULL' | 'FAILED'

/**
 * What a handler says. `CONSUME_SUCCESS`: done. `RECONSUME_LATER`: again later; of an orderly consumer the same as
 * `SUSPEND_CURRENT_QUEUE_A_MOMENT`, the same messages again after a pause of their queue. `COMMIT` and `ROLLBACK` are for
 * orderly consumers with `context.autoCommit` off: all that was handled since the last commit is done, or comes again.
 */
export type ConsumeStatus =
  | 'CONSUME_SUCCESS'
  | 'RECONSUME_LATER'
  | 'SUSPEND_CURRENT_QUEUE_A_MOMENT'
  | 'COMMIT'
  | 'ROLLBACK'

/** One call of the handler, as hooks see it. The same object before and after. */
export interface ConsumeHookContext {
  readonly group: string
  readonly queue: MessageQueue
  readonly messages: readonly ReceivedMessage[]
  /** Set before `after` is called. */
  success: boolean
  status: ConsumeStatus | undefined
  returnType: ConsumeReturnType | undefined
  /** What the handler threw. */
  error: unknown
  /** For the hook's own use between before and after. */
  state: unknown
}

/** Called around each call of the handler. What a hook throws is logged and otherwise ignored. */
export interface ConsumeHook {
  before?(context: ConsumeHookContext): void
  after?(context: ConsumeHookContext): void
}

/** Calls all hooks; a throwing one doesn't keep the others from being called. */
export function callHooks(
  hooks: readonly ConsumeHook[],
  when: 'before' | 'after',
  context: ConsumeHookContext,
  logger: Logger,
): void {
  for (const hook of hooks) {
    try {
      hook[when]?.(context)
    } catch (error) {
      logger.warn({ err: error, when }, 'a consume hook threw')
    }
  }
}
