import { type Clock, deferred, type Logger, RateLimitedLog } from '@rocketmq-ts/runtime'
import { DeliveredMessage, type Delivery } from '../consume/received-message.ts'
import type { ProcessQueue } from '../process-queue/process-queue.ts'
import type { ConsumeService } from './consume-service.ts'
import type { ConsumeStats } from './consume-stats.ts'
import {
  endOfIteration,
  type IterateOptions,
  MessageIterator,
  type MessageSource,
  type Waiter,
} from './message-iterator.ts'
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

/** Ties a delivered message to its queue. */
class QueueDelivery implements Delivery {
  readonly processQueue: ProcessQueue
  readonly service: IteratorConsumeService
  /** Messages with the user, oldest first. */
  readonly outstanding = new Set<DeliveredMessage>()

  constructor(processQueue: ProcessQueue, service: IteratorConsumeService) {
    this.processQueue = processQueue
    this.service = service
  }

  ack(message: DeliveredMessage): void {
    this.service.settle(this, message)
  }

  retry(message: DeliveredMessage, delayLevel: number): void {
    this.service.retry(this, message, delayLevel)
  }
}

/**
 * Gives messages to whoever iterates, one at a time, queues taking turns. What was given and not acknowledged counts
 * against the flow-control limits like a message with a handler, which is the back-pressure.
 */
export class IteratorConsumeService implements ConsumeService, MessageSource {
  readonly #options: IteratorServiceOptions
  readonly #log: RateLimitedLog
  #scheduled: ProcessQueue[] = []
  #again: LocalRetry[] = []
  readonly #waiters: Waiter[] = []
  readonly #deliveries = new Map<ProcessQueue, QueueDelivery>()
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
      const message = next.takeOne(DeliveredMessage)
      this.#enlist(next)
      if (message !== undefined) return this.#deliver(next, message)
    }
    return undefined
  }

  /** The place of one who waits for a message; it resolves with `done` when the service stops. */
  wait(): Waiter {
    const waiter: Waiter = deferred()
    if (this.#isStopped) waiter.resolve(endOfIteration)
    else this.#waiters.push(waiter)
    return waiter
  }

  /** Ends a wait without a message. */
  leave(waiter: Waiter): void {
    const at = this.#waiters.indexOf(waiter)
    if (at >= 0) this.#waiters.splice(at, 1)
    waiter.resolve(endOfIteration)
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** A delivered message is done. */
  settle(delivery: QueueDelivery, message: DeliveredMessage): void {
    if (!this.#release(delivery, message)) return
    const { clock, stats, settler } = this.#options
    const { processQueue } = delivery
    stats.consumed(processQueue.queue.topic, 1, 0, clock.monotonic() - message.deliveredMs)
    settler.finishOne(processQueue, message)
  }

  /** A delivered message is wanted again later. */
  retry(delivery: QueueDelivery, message: DeliveredMessage, delayLevel: number): void {
    if (!this.#release(delivery, message)) return
    const { clock, stats, settler } = this.#options
    const { processQueue } = delivery
    stats.consumed(processQueue.queue.topic, 0, 1, clock.monotonic() - message.deliveredMs)
    void settler.fail(processQueue, [message], delayLevel)
  }

  /** A delivered message was left without a word: the next one who iterates gets it. */
  giveBack(message: DeliveredMessage): void {
    const delivery = message.delivery as QueueDelivery | undefined
    if (delivery === undefined || !this.#release(delivery, message)) return
    if (delivery.processQueue.dropped || this.#isStopped) return
    this.#again.push({ processQueue: delivery.processQueue, messages: [message] })
    this.#serveWaiters()
  }

  /** Source: ConsumeMessageConcurrentlyService#cleanExpireMsg, 5.3.x */
  async expire(): Promise<void> {
    const { clock, consumeTimeoutMs, settler } = this.#options
    const now = clock.monotonic()
    for (const delivery of [...this.#deliveries.values()]) {
      const { processQueue } = delivery
      if (processQueue.dropped) this.#deliveries.delete(processQueue)
      const oldest = [...delivery.outstanding].slice(0, expiredPerRound)
      for (const message of oldest.filter(({ deliveredMs }) => now - deliveredMs >= consumeTimeoutMs)) {
        if (processQueue.dropped || !this.#release(delivery, message)) break
        this.#log.warn(
          'expired',
          { ...processQueue.queue },
          'message neither acknowledged nor retried in time: sent back',
        )
        await settler.fail(processQueue, [message], 3)
      }
    }
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true
    this.#scheduled = []
    this.#again = []
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(endOfIteration)
    if (timeoutMs > 0 && this.#outstanding > 0) {
      const idle = deferred()
      this.#onIdle = idle.resolve
      const timer = this.#options.clock.setTimeout(idle.resolve, timeoutMs)
      await idle.promise
      timer.cancel()
    }
    this.#options.settler.stop()
  }

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
    }
    message.delivery = delivery
    message.deliveredMs = this.#options.clock.monotonic()
    processQueue.lastConsumeMs = message.deliveredMs
    delivery.outstanding.add(message)
    this.#outstanding++
    return message
  }

  /** False when the message isn't outstanding any more. */
  #release(delivery: QueueDelivery, message: DeliveredMessage): boolean {
    if (message.delivery === undefined) return false
    message.delivery = undefined
    delivery.outstanding.delete(message)
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
