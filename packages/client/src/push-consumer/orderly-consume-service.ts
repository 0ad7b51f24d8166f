import { type Clock, deferred, type Logger, RateLimitedLog, type Timer } from '@rocketmq-ts/runtime'
import { ReceivedMessage } from '../consume/received-message.ts'
import type { SendBack } from '../consume/send-back.ts'
import type { ProcessQueue } from '../process-queue/process-queue.ts'
import { type ConsumeHook, type ConsumeHookContext, type ConsumeStatus, callHooks } from './consume-hooks.ts'
import { ConsumeContext, type HandlerOutcome, type MessageHandler, type OrderedService } from './consume-service.ts'
import type { ConsumeStats } from './consume-stats.ts'
import { isPromise, newHookContext, returnTypeOf } from './handler-call.ts'
import type { MessageSettler } from './message-settler.ts'

/** Handlers that return at once may keep the event loop for so long before other work gets a turn. */
const turnBudgetMs = 10
/** Bounds of a queue's pause. Source: ConsumeMessageOrderlyService#submitConsumeRequestLater, 5.3.x */
const suspendMs = { min: 10, max: 30_000 }

export interface OrderlyServiceOptions {
  clock: Clock
  logger: Logger
  group: string
  handler: MessageHandler
  /** Queues with a handler at work at once. */
  concurrency: number
  /** Messages per call at most. */
  handlerBatchMax: number
  consumeTimeoutMs: number
  /** Pause of a queue whose messages failed. */
  suspendMs: number
  /** Retries of a message before it is sent away; -1: no limit. */
  maxReconsumeTimes: number
  hooks: readonly ConsumeHook[]
  settler: MessageSettler
  sendBack: SendBack
  stats: ConsumeStats
  /** A queue's lock was found expired: renew it; {@link OrderlyConsumeService.ready} tells that it is back. */
  onExpired(): void
  /** The last handler at work on a queue that was given up is done: the queue may be taken again. */
  onFreed(): void
}

/** A held queue and what its handler has not settled. */
interface Line {
  readonly processQueue: ProcessQueue
  /** Failed or rolled back: given again before anything behind them. Offsets ascend. */
  again: ReceivedMessage[]
  /** Handled with autoCommit off and not committed. */
  uncommitted: ReceivedMessage[]
  isScheduled: boolean
  call: Call | undefined
  /** The pause of a suspended queue. */
  pause: Timer | undefined
  /** What waits for the lock to be renewed: the verdict on a batch. */
  held: (() => void) | undefined
}

interface Call {
  readonly line: Line
  readonly messages: readonly ReceivedMessage[]
  readonly context: ConsumeContext
  readonly hookContext: ConsumeHookContext | undefined
  readonly startedMs: number
}

type OrderlyStatus = 'SUCCESS' | 'COMMIT' | 'ROLLBACK' | 'SUSPEND'

/**
 * Calls the handler with the messages of each queue strictly in offset order: a batch begins when the one before it is settled,
 * and one that failed comes again before anything behind it. Nothing is handled or committed while the queue's broker lock is
 * not certain. Java lets a queue keep its thread for up to 60 s; here queues take turns after each batch.
 * Source: ConsumeMessageOrderlyService, 5.3.x
 */
export class OrderlyConsumeService implements OrderedService {
  readonly #options: OrderlyServiceOptions
  readonly #log: RateLimitedLog
  readonly #lines = new Map<ProcessQueue, Line>()
  #scheduled: Line[] = []
  /** Queue key → its call at work; at most one, also when the queue was given up meanwhile. */
  readonly #working = new Map<string, Call>()
  readonly #quietWaiters = new Map<string, (() => void)[]>()
  #isPumping = false
  #turnEndsMs = Number.POSITIVE_INFINITY
  #lastCallMs = 0
  #isStopped = false
  #onIdle: (() => void) | undefined

  constructor(options: OrderlyServiceOptions) {
    this.#options = options
    this.#log = new RateLimitedLog(options.clock, options.logger)
  }

  ready(processQueue: ProcessQueue): void {
    if (processQueue.dropped || this.#isStopped) return
    let line = this.#lines.get(processQueue)
    if (line === undefined) {
      line = newLine(processQueue)
      this.#lines.set(processQueue, line)
    }
    const { held } = line
    if (held !== undefined && this.#isOwned(line)) {
      line.held = undefined
      held()
    }
    this.#enlist(line)
    this.#pump()
  }

  /** A batch that takes long keeps its queue: giving its messages away would break their order. */
  async expire(): Promise<void> {}

  isWorking(key: string): boolean {
    return this.#working.has(key)
  }

  async quiet(key: string, timeoutMs: number): Promise<boolean> {
    if (!this.#working.has(key)) return true
    const { promise, resolve } = deferred()
    const waiters = this.#quietWaiters.get(key)
    if (waiters === undefined) this.#quietWaiters.set(key, [resolve])
    else waiters.push(resolve)
    const timer = this.#options.clock.setTimeout(resolve, timeoutMs)
    await promise
    timer.cancel()
    return !this.#working.has(key)
  }

  forget(processQueue: ProcessQueue): void {
    const line = this.#lines.get(processQueue)
    if (line === undefined) return
    this.#lines.delete(processQueue)
    line.pause?.cancel()
    line.call?.context.abort(new Error('the queue was given up'))
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true
    this.#scheduled = []
    for (const line of this.#lines.values()) line.pause?.cancel()
    if (timeoutMs > 0 && this.#working.size > 0) {
      const idle = deferred()
      this.#onIdle = idle.resolve
      const timer = this.#options.clock.setTimeout(idle.resolve, timeoutMs)
      await idle.promise
      timer.cancel()
    }
    for (const processQueue of [...this.#lines.keys()]) this.forget(processQueue)
    this.#options.settler.stop()
  }

  #isOwned({ processQueue }: Line): boolean {
    return processQueue.isOwned(this.#options.clock.monotonic())
  }

  #enlist(line: Line): void {
    if (line.isScheduled || line.call !== undefined || line.pause !== undefined || line.held !== undefined) return
    if (this.#isStopped || (line.again.length === 0 && !line.processQueue.hasAvailable)) return
    line.isScheduled = true
    this.#scheduled.push(line)
  }

  #pump(): void {
    if (this.#isPumping || this.#isStopped) return
    this.#isPumping = true
    const { clock, concurrency } = this.#options
    while (this.#working.size < concurrency && this.#lastCallMs < this.#turnEndsMs && !this.#isStopped) {
      const line = this.#scheduled.shift()
      if (line === undefined) break
      line.isScheduled = false
      if (!this.#mayCall(line)) continue
      this.#call(line)
      if (this.#turnEndsMs !== Number.POSITIVE_INFINITY) continue
      this.#turnEndsMs = this.#lastCallMs + turnBudgetMs
      clock.setImmediate(() => {
        this.#turnEndsMs = Number.POSITIVE_INFINITY
        this.#pump()
      })
    }
    this.#isPumping = false
  }

  #mayCall(line: Line): boolean {
    const { processQueue } = line
    if (processQueue.dropped || processQueue.isDraining || this.#working.has(processQueue.key)) return false
    if (this.#isOwned(line)) return true
    this.#options.onExpired()
    return false
  }

  #call(line: Line): void {
    const { clock, handler, hooks, group, logger, handlerBatchMax } = this.#options
    const { processQueue } = line
    const messages = line.again.splice(0, handlerBatchMax)
    if (messages.length < handlerBatchMax) {
      messages.push(...processQueue.take(handlerBatchMax - messages.length, ReceivedMessage))
    }
    const context = new ConsumeContext(processQueue.queue)
    const startedMs = clock.monotonic()
    this.#lastCallMs = startedMs
    processQueue.lastConsumeMs = startedMs
    let hookContext: ConsumeHookContext | undefined
    if (hooks.length > 0) {
      hookContext = newHookContext(group, processQueue, messages)
      callHooks(hooks, 'before', hookContext, logger)
    }
    const call: Call = { line, messages, context, hookContext, startedMs }
    line.call = call
    this.#working.set(processQueue.key, call)
    let outcome: HandlerOutcome | PromiseLike<HandlerOutcome>
    try {
      outcome = handler(messages, context)
    } catch (error) {
      this.#ended(call, undefined, error ?? new Error('the handler threw nothing'))
      return
    }
    if (isPromise(outcome)) void this.#await(call, outcome)
    else this.#ended(call, outcome, undefined)
  }

  async #await(call: Call, promise: PromiseLike<HandlerOutcome>): Promise<void> {
    let outcome: HandlerOutcome | undefined
    let error: unknown
    try {
      outcome = await promise
    } catch (thrown) {
      error = thrown ?? new Error('the handler rejected with nothing')
    }
    this.#ended(call, outcome, error)
  }

  /** The handler is done: tells hooks and statistics, and settles. */
  #ended(call: Call, outcome: HandlerOutcome, error: unknown): void {
    const { clock, consumeTimeoutMs, hooks, logger, stats } = this.#options
    const { line, messages, context, hookContext } = call
    const { queue } = line.processQueue
    const elapsedMs = clock.monotonic() - call.startedMs
    const status = error === undefined ? statusOf(outcome) : 'SUSPEND'
    const isSuccess = status === 'SUCCESS' || status === 'COMMIT'
    if (error !== undefined) {
      this.#log.warn('threw', { ...queue, err: error }, 'the message handler failed; its queue pauses')
    }
    if (hookContext !== undefined) {
      hookContext.success = isSuccess
      hookContext.status = shownStatus[status]
      hookContext.error = error
      hookContext.returnType = returnTypeOf(isSuccess, error, elapsedMs >= consumeTimeoutMs)
      callHooks(hooks, 'after', hookContext, logger)
    }
    stats.consumed(queue.topic, isSuccess ? messages.length : 0, isSuccess ? 0 : messages.length, elapsedMs)
    if (status === 'ROLLBACK' && context.autoCommit) {
      this.#log.warn('rollback', { ...queue }, 'ROLLBACK means nothing while autoCommit is on: committed')
    }
    this.#settle(call, status)
  }

  #settle(call: Call, status: OrderlyStatus): void {
    const { line } = call
    if (line.processQueue.dropped) {
      this.#done(call)
    } else if (!this.#isOwned(line)) {
      // Somebody else may have the queue by now; the verdict counts when the broker says that nobody had.
      line.held = () => {
        line.call = call
        this.#working.set(line.processQueue.key, call)
        this.#settle(call, status)
      }
      this.#free(call)
      this.#options.onExpired()
    } else if (status === 'SUSPEND') {
      void this.#fail(call)
    } else {
      if (call.context.autoCommit || status === 'COMMIT') this.#commit(line, call.messages)
      else if (status === 'SUCCESS') line.uncommitted.push(...call.messages)
      else this.#rollBack(call)
      this.#done(call)
    }
  }

  #commit(line: Line, messages: readonly ReceivedMessage[]): void {
    const { settler } = this.#options
    if (line.uncommitted.length > 0) settler.finish(line.processQueue, line.uncommitted)
    line.uncommitted = []
    settler.finish(line.processQueue, messages)
  }

  #rollBack({ line, messages, context }: Call): void {
    line.again = [...line.uncommitted, ...messages, ...line.again].sort((a, b) => a.queueOffset - b.queueOffset)
    line.uncommitted = []
    this.#pause(line, context.suspendCurrentQueueTimeMs)
  }

  /** Messages at the limit are sent away; the others come again after a pause. */
  async #fail(call: Call): Promise<void> {
    const { line, messages, context } = call
    const max = this.#options.maxReconsumeTimes < 0 ? Number.POSITIVE_INFINITY : this.#options.maxReconsumeTimes
    const isAway = messages.some(message => message.reconsumeTimes >= max)
      ? await Promise.all(messages.map(message => message.reconsumeTimes >= max && this.#sendAway(message)))
      : []
    if (!line.processQueue.dropped) {
      const away = messages.filter((_, i) => isAway[i])
      const again = messages.filter((_, i) => !isAway[i])
      for (const message of again) message.reconsumeTimes++
      line.again = [...again, ...line.again]
      if (away.length > 0 && context.autoCommit) this.#options.settler.finish(line.processQueue, away)
      else line.uncommitted.push(...away)
      if (again.length > 0) this.#pause(line, context.suspendCurrentQueueTimeMs)
    }
    this.#done(call)
  }

  async #sendAway(message: ReceivedMessage): Promise<boolean> {
    try {
      await this.#options.sendBack.sendCopy(message)
      return true
    } catch (error) {
      const { queue } = message.batch.from
      this.#log.warn('sendAway', { ...queue, queueOffset: message.queueOffset, err: error }, 'message not sent away')
      return false
    }
  }

  #pause(line: Line, wantedMs: number): void {
    if (this.#isStopped) return
    const chosenMs = wantedMs === -1 ? this.#options.suspendMs : wantedMs
    const delayMs = Math.min(suspendMs.max, Math.max(suspendMs.min, chosenMs))
    line.pause = this.#options.clock.setTimeout(() => {
      line.pause = undefined
      this.ready(line.processQueue)
    }, delayMs)
  }

  #done(call: Call): void {
    this.#free(call)
    this.#enlist(call.line)
    this.#pump()
  }

  /** The queue has no handler at work any more. */
  #free({ line }: Call): void {
    const { key, dropped } = line.processQueue
    if (line.call === undefined) return
    line.call = undefined
    this.#working.delete(key)
    const waiters = this.#quietWaiters.get(key)
    this.#quietWaiters.delete(key)
    for (const resolve of waiters ?? []) resolve()
    if (this.#isStopped && this.#working.size === 0) this.#onIdle?.()
    else if (dropped) this.#options.onFreed()
  }
}

const shownStatus: Record<OrderlyStatus, ConsumeStatus> = {
  SUCCESS: 'CONSUME_SUCCESS',
  COMMIT: 'COMMIT',
  ROLLBACK: 'ROLLBACK',
  SUSPEND: 'SUSPEND_CURRENT_QUEUE_A_MOMENT',
}

function newLine(processQueue: ProcessQueue): Line {
  return {
    processQueue,
    again: [],
    uncommitted: [],
    isScheduled: false,
    call: undefined,
    pause: undefined,
    held: undefined,
  }
}

function statusOf(outcome: HandlerOutcome): OrderlyStatus {
  switch (outcome) {
    case 'RECONSUME_LATER':
    case 'SUSPEND_CURRENT_QUEUE_A_MOMENT':
      return 'SUSPEND'
    case 'COMMIT':
    case 'ROLLBACK':
      return outcome
    default:
      return 'SUCCESS'
  }
}
