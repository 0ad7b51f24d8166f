import { type Clock, type Deferred, deferred, type Logger, RateLimitedLog } from '@rocketmq-ts/runtime'
import type { DeliveredMessage, Delivery } from '../consume/received-message.ts'
import type { ProcessQueue } from '../process-queue/process-queue.ts'
import type { ConsumeService } from './consume-service.ts'
import type { ConsumeStats } from './consume-stats.ts'
import type { LocalRetry, MessageSettler } from './message-settler.ts'

/** Messages of one queue that one round of {@link IteratorConsumeService.expire} sends back at most. */
const expiredPerRound = 16

export interface IteratorServiceOptions {
  clock: Clock
  logger: Logger
  consumeTimeoutMs: number
  settler: MessageSettler
  stats: ConsumeStats
}

/** Options of `consumer.messages()`. */
export interface IterateOptions {
  /** Ends the iteration: the loop stops without an error. */
  signal?: AbortSignal
  /**
   * Acknowledges each message when the next one is asked for, so that the loop's body needs no `ack`. Default false.
   */
  autoAck?: boolean
}

/** Ties a delivered message to its queue. */
class QueueDelivery implements Delivery {
  readonly processQueue: ProcessQueue
  readonly service: IteratorConsumeService

  constructor(processQueue: ProcessQueue, service: IteratorConsumeService) {
    this.processQueue = processQueue
    this.service = service
  }

  ack(message: DeliveredMessage): void {
    this.service.settle(this.processQueue, message)
  }

  retry(message: DeliveredMessage, delayLevel: number): void {
    this.service.retry(this.processQueue, message, delayLevel)
  }
}

type Waiter = Deferred<IteratorResult<DeliveredMessage, undefined>>

const done: IteratorResult<DeliveredMessage, undefined> = { done: true, value: undefined }

/**
 * Gives messages to whoever iterates, one at a time, queues taking turns. What was given and not acknowledged counts
 * against the flow-control limits like a message with a handler, which is the back-pressure.
 */
export class IteratorConsumeService implements ConsumeService {
  readonly #options: IteratorServiceOptions
  readonly #log: RateLimitedLog
  #scheduled: ProcessQueue[] = []
  #again: LocalRetry[] = []
  readonly #waiters: Waiter[] = []
  readonly #deliveries = new WeakMap<ProcessQueue, QueueDelivery>()
  /** Delivered and neither acknowledged, retried nor given back. */
  #outstanding = 0
  #isStopped = false
  #onIdle: (() => void) | undefined

  constructor(options: IteratorServiceOptions) {
    this.#options = options
    this.#log = new RateLimitedLog(options.clock, options.logger)
    options.settler.onLocalRetry = retry => {
      this.#again.push(retry)
      this.#serveWaiters()
    }
  }

  ready(processQueue: ProcessQueue): void {
    this.#enlist(processQueue)
    this.#serveWaiters()
  }

  /** A new iteration over all messages; several may go on at once and share them. */
  iterate(options: IterateOptions): AsyncIterableIterator<DeliveredMessage> {
    return new MessageIterator(this, options)
  }

  /** The next message, or undefined when one must be waited for. */
  take(): DeliveredMessage | undefined {
    for (let retry = this.#again[0]; retry !== undefined; retry = this.#again[0]) {
      const message = retry.processQueue.dropped ? undefined : retry.messages.shift()
      if (retry.messages.length === 0 || message === undefined) this.#again.shift()
      if (message !== undefined) return this.#deliver(retry.processQueue, message as DeliveredMessage)
    }
    for (let next = this.#scheduled.shift(); next !== undefined; next = this.#scheduled.shift()) {
      next.isScheduled = false
      if (next.dropped || next.isDraining) continue
      const message = next.takeOne()
      this.#enlist(next)
      if (message !== undefined) return this.#deliver(next, message as DeliveredMessage)
    }
    return undefined
  }

  /** The place of one who waits for a message; it resolves with `done` when the service stops. */
  wait(): Waiter {
    const waiter: Waiter = deferred()
    if (this.#isStopped) waiter.resolve(done)
    else this.#waiters.push(waiter)
    return waiter
  }

  /** Ends a wait without a message. */
  leave(waiter: Waiter): void {
    const at = this.#waiters.indexOf(waiter)
    if (at >= 0) this.#waiters.splice(at, 1)
    waiter.resolve(done)
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** A delivered message is done. */
  settle(processQueue: ProcessQueue, message: DeliveredMessage): void {
    if (!this.#release(message)) return
    const elapsedMs = this.#options.clock.now() - message.consumeStartedAtMs
    this.#options.stats.consumed(processQueue.queue.topic, 1, 0, elapsedMs)
    this.#options.settler.finishOne(processQueue, message)
  }

  /** A delivered message is wanted again later. */
  retry(processQueue: ProcessQueue, message: DeliveredMessage, delayLevel: number): void {
    if (!this.#release(message)) return
    const elapsedMs = this.#options.clock.now() - message.consumeStartedAtMs
    this.#options.stats.consumed(processQueue.queue.topic, 0, 1, elapsedMs)
    void this.#options.settler.fail(processQueue, [message], delayLevel)
  }

  /** A delivered message was left without a word: the next one who iterates gets it. */
  giveBack(message: DeliveredMessage): void {
    const delivery = message.delivery as QueueDelivery | undefined
    if (delivery === undefined || !this.#release(message)) return
    message.consumeStartedAtMs = 0
    if (delivery.processQueue.dropped || this.#isStopped) return
    this.#again.push({ processQueue: delivery.processQueue, messages: [message] })
    this.#serveWaiters()
  }

  /** Source: ConsumeMessageConcurrentlyService#cleanExpireMsg, 5.3.x */
  async expire(): Promise<void> {
    const { clock, consumeTimeoutMs, settler } = this.#options
    const now = clock.now()
    for (const delivery of this.#queuesSeen) {
      const { processQueue } = delivery
      for (let i = 0; i < expiredPerRound && !processQueue.dropped; i++) {
        const message = processQueue.first as DeliveredMessage | undefined
        if (message === undefined || message.consumeStartedAtMs === 0) break
        if (now - message.consumeStartedAtMs < consumeTimeoutMs || !this.#release(message)) break
        this.#log.warn(
          'expired',
          { ...processQueue.queue },
          'message neither acknowledged nor retried in time: sent back',
        )
        await settler.fail(processQueue, [message], 3)
      }
      if (processQueue.dropped) this.#queuesSeen.delete(delivery)
    }
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true
    this.#scheduled = []
    this.#again = []
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(done)
    if (timeoutMs > 0 && this.#outstanding > 0) {
      const idle = deferred()
      this.#onIdle = idle.resolve
      const timer = this.#options.clock.setTimeout(idle.resolve, timeoutMs)
      await idle.promise
      timer.cancel()
    }
    this.#options.settler.stop()
  }

  readonly #queuesSeen = new Set<QueueDelivery>()

  #enlist(processQueue: ProcessQueue): void {
    if (processQueue.isScheduled || !processQueue.hasAvailable || this.#isStopped) return
    processQueue.isScheduled = true
    this.#scheduled.push(processQueue)
  }

  #deliver(processQueue: ProcessQueue, message: DeliveredMessage): DeliveredMessage {
    let delivery = this.#deliveries.get(processQueue)
    if (delivery === undefined) {
      delivery = new QueueDelivery(processQueue, this)
      this.#deliveries.set(processQueue, delivery)
      this.#queuesSeen.add(delivery)
    }
    const wallMs = this.#options.clock.now()
    message.delivery = delivery
    message.consumeStartedAtMs = wallMs
    processQueue.lastConsumeAtMs = wallMs
    this.#outstanding++
    return message
  }

  /** False when the message isn't outstanding any more. */
  #release(message: DeliveredMessage): boolean {
    if (message.delivery === undefined) return false
    message.delivery = undefined
    this.#outstanding--
    if (this.#outstanding === 0) this.#onIdle?.()
    return true
  }

  #serveWaiters(): void {
    while (this.#waiters.length > 0) {
      const message = this.take()
      if (message === undefined) return
      this.#waiters.shift()!.resolve({ done: false, value: message })
    }
  }
}

/** One `for await` over the messages. */
class MessageIterator implements AsyncIterableIterator<DeliveredMessage> {
  readonly #service: IteratorConsumeService
  readonly #signal: AbortSignal | undefined
  readonly #autoAck: boolean
  readonly #waiting = new Set<Waiter>()
  readonly #onAbort = () => this.#end()
  #last: DeliveredMessage | undefined
  #isEnded = false

  constructor(service: IteratorConsumeService, options: IterateOptions) {
    this.#service = service
    this.#signal = options.signal
    this.#autoAck = options.autoAck ?? false
    if (this.#signal?.aborted) this.#isEnded = true
    else this.#signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<DeliveredMessage, undefined>> {
    if (this.#autoAck) this.#last?.ack()
    this.#last = undefined
    if (this.#isEnded || this.#service.isStopped) {
      this.#end()
      return Promise.resolve(done)
    }
    const message = this.#service.take()
    if (message === undefined) return this.#wait()
    this.#last = message
    return Promise.resolve({ done: false, value: message })
  }

  /** The loop was left: a message that was given last and not acknowledged goes to the next one who iterates. */
  return(): Promise<IteratorResult<DeliveredMessage, undefined>> {
    this.#end()
    if (this.#last !== undefined) this.#service.giveBack(this.#last)
    this.#last = undefined
    return Promise.resolve(done)
  }

  async #wait(): Promise<IteratorResult<DeliveredMessage, undefined>> {
    const waiter = this.#service.wait()
    this.#waiting.add(waiter)
    const result = await waiter.promise
    this.#waiting.delete(waiter)
    if (result.done) this.#end()
    else this.#last = result.value
    return result
  }

  #end(): void {
    this.#isEnded = true
    this.#signal?.removeEventListener('abort', this.#onAbort)
    for (const waiter of this.#waiting) this.#service.leave(waiter)
    this.#waiting.clear()
  }
}
