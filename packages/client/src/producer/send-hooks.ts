import type { Message } from '@rocketmq-ts/model'
import { sysFlag } from '@rocketmq-ts/model'
import type { Logger } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'
import type { SendHook, SentMessageType } from '../hooks.ts'
import type { SendCall } from './send-call.ts'
import type { SendResult } from './send-result.ts'
import type { QueueTarget } from './topic-context.ts'

/** Runs the hooks of one producer around each attempt. */
export class SendHooks {
  readonly #hooks: readonly SendHook[]
  readonly #logger: Logger

  constructor(hooks: readonly SendHook[], logger: Logger) {
    this.#hooks = hooks
    this.#logger = logger
  }

  /** Throws what a `check` hook throws; the context for {@link after} is then not kept. */
  before(call: SendCall, target: QueueTarget, group: string, instance: ClientInstance, nowMs: number): void {
    const context = {
      group,
      message: call.isBatch ? undefined : call.messages[0],
      messages: call.messages,
      topic: call.topic.userTopic,
      messageId: call.messageId,
      messageType: messageTypeOf(call),
      mode: call.isOneway ? ('ONEWAY' as const) : call.isBatch ? ('BATCH' as const) : ('SEND' as const),
      queue: target.queue,
      brokerAddress: call.address,
      attempt: call.attempt,
      clientAddress: instance.clientAddress,
      bodyBytes: call.body.length,
      startedAtMs: nowMs,
      result: undefined,
      error: undefined,
      state: new Map<string, unknown>(),
    }
    for (const hook of this.#hooks) hook.check?.(context)
    call.hookContext = context
    for (const hook of this.#hooks) {
      try {
        hook.before?.(context)
      } catch (error) {
        this.#logger.warn({ hook: hook.name, err: error }, 'a send hook failed before the attempt')
      }
    }
  }

  /** Once per context; an attempt that didn't get as far as {@link before} has none. */
  after(call: SendCall, result: SendResult | undefined, error: unknown): void {
    const context = call.hookContext
    if (context === undefined) return
    call.hookContext = undefined
    context.result = result
    context.error = error
    for (const hook of this.#hooks) {
      try {
        hook.after?.(context)
      } catch (failure) {
        this.#logger.warn({ hook: hook.name, err: failure }, 'a send hook failed after the attempt')
      }
    }
  }
}

function messageTypeOf(call: SendCall): SentMessageType {
  if ((call.sysFlag & sysFlag.transactionPrepared) !== 0) return 'TRANSACTION_HALF'
  return call.messages.some(isDelayed) ? 'DELAY' : 'NORMAL'
}

function isDelayed(message: Message): boolean {
  return (message.delayLevel ?? 0) > 0 || message.delayMs !== undefined || message.deliverAtMs !== undefined
}
