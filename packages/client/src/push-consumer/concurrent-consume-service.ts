import { type Clock, deferred, type Logger, RateLimitedLog, type Timer } from '@rocketmq-ts/runtime'
import { ReceivedMessage } from '../consume/received-message.ts'
import type { ProcessQueue } from '../process-queue/process-queue.ts'
import { type ConsumeHook, type ConsumeHookContext, type ConsumeStatus, callHooks } from './consume-hooks.ts'
import { ConsumeContext, type ConsumeService, type HandlerOutcome, type MessageHandler } from './consume-service.ts'
import type { ConsumeStats } from './consume-stats.ts'
import { isPromise, newHookContext, returnTypeOf } from './handler-call.ts'
import type { LocalRetry, MessageSettler } from './message-settler.ts'

/**
 * Handlers may keep the event loop for so long before other work gets a turn: those that return at once, and those whose
 * promises are resolved without waiting for anything.
 */
const turnBudgetMs = 10

export interface ConcurrentServiceOptions {
  clock: Clock
  logger: Logger
  group: string
  handler: MessageHandler
  /** Calls of the handler at work at once. */
  concurrency: number
  /** Messages per call at most. */
  handlerBatchMax: number
  consumeTimeoutMs: number
  hooks: readonly ConsumeHook[]
  settler: MessageSettler
  stats: ConsumeStats
}

/** One call of the handler that has not ended yet. */
interface Call {
  readonly processQueue: ProcessQueue
  readonly messages: readonly ReceivedMessage[]
  readonly context: ConsumeContext
  readonly hookContext: ConsumeHookContext | undefined
  readonly startedMs: number
  isAbandoned: boolean
}

/**
 * Calls the handler with slices of the queues' messages, in offset order per queue but without waiting for earlier ones,
 * `concurrency` calls at a time, queues taking turns. Source: ConsumeMessageConcurrentlyService, 5.3.x
 *
 * Budget: one call, one array and one context per slice; a promise only when the handler returns one.
 */
export class ConcurrentConsumeService implements ConsumeService {
  readonly #options: ConcurrentServiceOptions
  readonly #log: RateLimitedLog
  /** Queues with messages to hand out; each once. */
  #scheduled: ProcessQueue[] = []
  #retries: LocalRetry[] = []
  readonly #calls = new Set<Call>()
  #sendingBack = 0
  #isPumping = false
  /** When this turn's budget is used up; infinite before the turn's first call. */
  #turnEndsMs = Number.POSITIVE_INFINITY
  #isStopped = false
  /** When the handler was called last, on the monotonic clock. */
  #lastCallMs = 0
  #onIdle: (() => void) | undefined

  constructor(options: ConcurrentServiceOptions) {
    this.#options = options
    this.#log = new RateLimitedLog(options.clock, options.logger)
    options.settler.onLocalRetry = retry => {
      this.#retries.push(retry)
      this.#pump()
    }
  }

  ready(processQueue: ProcessQueue): void {
    this.#enlist(processQueue)
    this.#pump()
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true
    this.#scheduled = []
    this.#retries = []
    if (timeoutMs > 0 && this.#busy > 0) await this.#idleWithin(timeoutMs)
    for (const call of this.#calls) this.#abandon(call, 'the consumer was closed')
    this.#options.settler.stop()
  }

  /**
   * Gives up on calls that have been at work for longer than the consume time-out: their messages are sent back, their
   * places go to other messages. Java frees no place, so that as many stuck handlers as threads stop its consumer.
   * Source: ConsumeMessageConcurrentlyService#cleanExpireMsg, 5.3.x
   */
  async expire(): Promise<void> {
    const { clock, consumeTimeoutMs, settler } = this.#options
    const now = clock.monotonic()
    const expired = [...this.#calls].filter(call => now - call.startedMs >= consumeTimeoutMs)
    for (const call of expired) {
      this.#abandon(call, `the handler took longer than ${consumeTimeoutMs} ms`)
      const { processQueue, messages } = call
      this.#log.warn(
        'expired',
        { ...processQueue.queue, count: messages.length },
        'consume time-out: messages sent back',
      )
    }
    await Promise.all(expired.map(call => settler.fail(call.processQueue, call.messages, 3)))
    if (expired.length > 0) this.#pump()
  }

  get #busy(): number {
    return this.#calls.size + this.#sendingBack
  }

  async #idleWithin(timeoutMs: number): Promise<void> {
    const idle = deferred()
    this.#onIdle = idle.resolve
    const timer: Timer = this.#options.clock.setTimeout(() => {
      this.#options.logger.warn({ calls: this.#busy, timeoutMs }, 'handlers still at work when the consumer was closed')
      idle.resolve()
    }, timeoutMs)
    await idle.promise
    timer.cancel()
  }

  #abandon(call: Call, reason: string): void {
    call.isAbandoned = true
    this.#calls.delete(call)
    call.context.abort(new Error(reason))
  }

  #enlist(processQueue: ProcessQueue): void {
    if (processQueue.isScheduled || !processQueue.hasAvailable || this.#isStopped) return
    processQueue.isScheduled = true
    this.#scheduled.push(processQueue)
  }

  #pump(): void {
    if (this.#isPumping || this.#isStopped) return
    this.#isPumping = true
    const { clock, concurrency } = this.#options
    while (this.#busy < concurrency && this.#lastCallMs < this.#turnEndsMs && !this.#isStopped && this.#callNext()) {
      if (this.#turnEndsMs !== Number.POSITIVE_INFINITY) continue
      this.#turnEndsMs = this.#lastCallMs + turnBudgetMs
      clock.setImmediate(() => {
        this.#turnEndsMs = Number.POSITIVE_INFINITY
        this.#pump()
      })
    }
    this.#isPumping = false
  }

  /** Calls the handler once; false when there is nothing to hand out. */
  #callNext(): boolean {
    const retry = this.#retries.shift()
    if (retry !== undefined) {
      if (!retry.processQueue.dropped) this.#call(retry.processQueue, retry.messages)
      return true
    }
    const processQueue = this.#scheduled.shift()
    if (processQueue === undefined) return false
    processQueue.isScheduled = false
    if (processQueue.dropped || processQueue.isDraining) return true
    const messages = processQueue.take(this.#options.handlerBatchMax, ReceivedMessage)
    this.#enlist(processQueue)
    if (messages.length > 0) this.#call(processQueue, messages)
    return true
  }

  #call(processQueue: ProcessQueue, messages: readonly ReceivedMessage[]): void {
    const { clock, handler, hooks, group, logger } = this.#options
    const context = new ConsumeContext(processQueue.queue)
    const startedMs = clock.monotonic()
    this.#lastCallMs = startedMs
    processQueue.lastConsumeMs = startedMs
    let hookContext: ConsumeHookContext | undefined
    if (hooks.length > 0) {
      hookContext = newHookContext(group, processQueue, messages)
      callHooks(hooks, 'before', hookContext, logger)
    }
    const call: Call = { processQueue, messages, context, hookContext, startedMs, isAbandoned: false }
    let outcome: HandlerOutcome | PromiseLike<HandlerOutcome>
    try {
      outcome = handler(messages, context)
    } catch (error) {
      this.#settle(call, undefined, error ?? new Error('the handler threw nothing'))
      return
    }
    if (isPromise(outcome)) {
      this.#calls.add(call)
      void this.#await(call, outcome)
    } else {
      this.#settle(call, statusOf(outcome), undefined)
    }
  }

  async #await(call: Call, outcome: PromiseLike<HandlerOutcome>): Promise<void> {
    let status: ConsumeStatus | undefined
    let error: unknown
    try {
      status = statusOf(await outcome)
    } catch (thrown) {
      error = thrown ?? new Error('the handler rejected with nothing')
    }
    if (call.isAbandoned) return
    this.#calls.delete(call)
    this.#settle(call, status, error)
    this.#afterCall()
  }

  #afterCall(): void {
    if (!this.#isStopped) this.#pump()
    else if (this.#busy === 0) this.#onIdle?.()
  }

  #settle(call: Call, status: ConsumeStatus | undefined, error: unknown): void {
    const { clock, consumeTimeoutMs, hooks, logger, settler, stats } = this.#options
    const { processQueue, messages, context, hookContext } = call
    const elapsedMs = clock.monotonic() - call.startedMs
    if (error !== undefined) {
      this.#log.warn(
        'threw',
        { ...processQueue.queue, err: error },
        'the message handler failed; messages will be retried',
      )
    }
    if (hookContext !== undefined) {
      hookContext.success = status === 'CONSUME_SUCCESS'
      hookContext.status = status ?? 'RECONSUME_LATER'
      hookContext.error = error
      hookContext.returnType = returnTypeOf(status === 'CONSUME_SUCCESS', error, elapsedMs >= consumeTimeoutMs)
      callHooks(hooks, 'after', hookContext, logger)
    }
    const done = status === 'CONSUME_SUCCESS' ? Math.max(0, Math.min(context.ackIndex + 1, messages.length)) : 0
    stats.consumed(processQueue.queue.topic, done, messages.length - done, elapsedMs)
    // Of a queue that went elsewhere the result doesn't count: its new owner gets the messages again.
    if (processQueue.dropped) return
    if (done > 0) settler.finish(processQueue, messages, 0, done)
    if (done < messages.length) void this.#fail(processQueue, messages.slice(done), context.delayLevelWhenNextConsume)
  }

  /** A failed call keeps its place until its messages are sent back, so that a failing handler can't outrun the broker. */
  async #fail(processQueue: ProcessQueue, messages: readonly ReceivedMessage[], delayLevel: number): Promise<void> {
    this.#sendingBack++
    await this.#options.settler.fail(processQueue, messages, delayLevel)
    this.#sendingBack--
    this.#afterCall()
  }
}

/** Only words that say so mean failure, so that whatever else a careless handler returns doesn't make it consume twice. */
function statusOf(outcome: HandlerOutcome): 'CONSUME_SUCCESS' | 'RECONSUME_LATER' {
  switch (outcome) {
    case 'RECONSUME_LATER':
    case 'SUSPEND_CURRENT_QUEUE_A_MOMENT':
    case 'ROLLBACK':
      return 'RECONSUME_LATER'
    default:
      return 'CONSUME_SUCCESS'
  }
}
