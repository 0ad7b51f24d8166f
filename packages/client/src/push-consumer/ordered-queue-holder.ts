import { type MessageQueue, messageQueueKey } from '@rocketmq-ts/model'
import type { Clock } from '@rocketmq-ts/runtime'
import type { ProcessQueue } from '../process-queue/process-queue.ts'
import type { QueueTable } from '../process-queue/queue-table.ts'
import type { RebalanceTarget } from '../rebalance/rebalancer.ts'
import type { OrderedService } from './consume-service.ts'
import type { QueueHolder } from './queue-holder.ts'
import type { QueueLocker } from './queue-locker.ts'

/** How long a rebalance waits for a handler at work. Source: RebalancePushImpl#removeUnnecessaryMessageQueue, 5.3.x */
const quietMs = 500
/** A handler that works for longer after the last renewal loses its queue. Source: RebalancePushImpl#UNLOCK_DELAY_TIME_MILLS, 5.3.x */
const unlockDelayMs = 20_000

export interface OrderedQueueHolderOptions {
  clock: Clock
  queues: QueueTable
  holder: QueueHolder
  service: OrderedService
  /** Undefined in broadcasting: nobody else has the queues. */
  locker: QueueLocker | undefined
  /** A queue was given up outside a rebalance: it may be taken anew. */
  rebalanceSoon(): void
}

/**
 * Takes and gives up the queues of an orderly consumer. A queue is taken only with its lock, and its start is read after that:
 * whoever had it before has stored its progress then. It is given up when its handler is done, so that no two members ever
 * work on one queue. Source: RebalanceImpl#updateProcessQueueTableInRebalance, RebalancePushImpl, 5.3.x
 */
export class OrderedQueueHolder implements RebalanceTarget {
  readonly #options: OrderedQueueHolderOptions
  /** Keys of queues that are being given up. */
  readonly #leaving = new Set<string>()
  #isStopped = false

  constructor(options: OrderedQueueHolderOptions) {
    this.#options = options
  }

  topics(): Iterable<string> {
    return this.#options.holder.topics()
  }

  heldQueues(): Iterable<MessageQueue> {
    return this.#options.holder.heldQueues()
  }

  isStale(queue: MessageQueue): boolean {
    return this.#options.holder.isStale(queue)
  }

  onChanged(topic: string, all: readonly MessageQueue[], mine: readonly MessageQueue[]): void {
    this.#options.holder.onChanged(topic, all, mine)
  }

  async assign(queue: MessageQueue): Promise<boolean> {
    const { holder, locker, service } = this.#options
    const key = messageQueueKey(queue)
    if (this.#isStopped || this.#leaving.has(key) || service.isWorking(key)) return false
    if (locker === undefined) return await holder.assign(queue, { isShared: false })
    const lockedMs = await locker.lock(queue)
    if (lockedMs === undefined) return false
    let isTaken = false
    try {
      isTaken = await holder.takeLocked(queue, lockedMs)
    } finally {
      if (!isTaken) await locker.unlock([queue])
    }
    return isTaken
  }

  async revoke(queue: MessageQueue): Promise<void> {
    const { queues, service } = this.#options
    const processQueue = queues.get(messageQueueKey(queue))
    if (processQueue === undefined || processQueue.isDraining) return
    processQueue.isDraining = true
    if (await service.quiet(processQueue.key, quietMs)) {
      await this.release(processQueue)
      return
    }
    processQueue.tryUnlockTimes++
    void this.#releaseLater(processQueue)
  }

  /** Gives a queue up at once: stores its offset, forgets it and frees its lock. Never rejects. */
  async release(processQueue: ProcessQueue): Promise<void> {
    const { clock, holder, locker, service } = this.#options
    const { key, queue } = processQueue
    this.#leaving.add(key)
    const isOwned = processQueue.isOwned(clock.monotonic())
    const wasHeld = isOwned ? await holder.release(processQueue) : holder.abandon(processQueue)
    service.forget(processQueue)
    if (wasHeld) await locker?.unlock([queue])
    processQueue.locked = false
    this.#leaving.delete(key)
  }

  /** Gives up a queue that somebody else may have: nothing is stored. */
  abandon(processQueue: ProcessQueue): void {
    const { holder, service, rebalanceSoon } = this.#options
    holder.abandon(processQueue)
    service.forget(processQueue)
    rebalanceSoon()
  }

  /** Takes no queue any more, and leaves those that are being given up to who closes. */
  stop(): void {
    this.#isStopped = true
    this.#options.holder.stop()
  }

  /** Waits for the handler until the lock has been left alone for too long. */
  async #releaseLater(processQueue: ProcessQueue): Promise<void> {
    const { clock, locker, service, rebalanceSoon } = this.#options
    const sinceLockMs = locker === undefined ? quietMs : clock.monotonic() - processQueue.lockedMs
    await service.quiet(processQueue.key, Math.max(0, unlockDelayMs - sinceLockMs))
    if (this.#isStopped) return
    await this.release(processQueue)
    rebalanceSoon()
  }
}
