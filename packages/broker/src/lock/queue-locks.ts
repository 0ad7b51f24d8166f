import type { MessageQueue } from '@rocketmq-ts/model'
import { messageQueueKey } from '@rocketmq-ts/model'
import type { Clock, Logger } from '@rocketmq-ts/runtime'

/** How long a lock lives without being renewed, ms. Source: RebalanceLockManager, 5.3.x */
export const LOCK_LIFETIME_MS = 60_000
/** Locks of one group kept at most; a group that asks for more gets no further ones. */
const LOCKS_PER_GROUP_MAX = 65_536

interface QueueLock {
  clientId: string
  renewedAtMs: number
}

/**
 * Which client owns which queue of an ordered consumer group. A lock is free, held, or expired; whoever asks for a free
 * or an expired one gets it, and asking again renews. Nothing is persisted: after a restart owners lock again.
 * Source: RebalanceLockManager, 5.3.x
 */
export class QueueLocks {
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #groups = new Map<string, Map<string, QueueLock>>()

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock
    this.#logger = logger
  }

  /** The queues of `queues` that `clientId` owns after the call. Never fails. */
  lock(group: string, queues: readonly MessageQueue[], clientId: string): MessageQueue[] {
    const now = this.#clock.now()
    let locks = this.#groups.get(group)
    if (locks === undefined) {
      locks = new Map()
      this.#groups.set(group, locks)
    }
    const granted: MessageQueue[] = []
    for (const queue of queues) if (this.#lockOne(locks, group, queue, clientId, now)) granted.push(queue)
    return granted
  }

  #lockOne(locks: Map<string, QueueLock>, group: string, queue: MessageQueue, clientId: string, now: number): boolean {
    const key = messageQueueKey(queue)
    const lock = locks.get(key)
    if (lock === undefined) {
      if (locks.size >= LOCKS_PER_GROUP_MAX) return false
      locks.set(key, { clientId, renewedAtMs: now })
      return true
    }
    if (lock.clientId !== clientId) {
      if (!isExpired(lock, now)) return false
      this.#logger.warn(
        { group, topic: queue.topic, queueId: queue.queueId, from: lock.clientId, to: clientId },
        'an expired queue lock changes hands',
      )
      lock.clientId = clientId
    }
    lock.renewedAtMs = now
    return true
  }

  /** Frees those of `queues` that `clientId` owns. */
  unlock(group: string, queues: readonly MessageQueue[], clientId: string): void {
    const locks = this.#groups.get(group)
    if (locks === undefined) return
    for (const queue of queues) {
      const key = messageQueueKey(queue)
      if (locks.get(key)?.clientId === clientId) locks.delete(key)
    }
    if (locks.size === 0) this.#groups.delete(group)
  }

  /** True while a member of `group` holds a lock that isn't expired: the group consumes in order. */
  isHeld(group: string): boolean {
    const locks = this.#groups.get(group)
    if (locks === undefined) return false
    const now = this.#clock.now()
    for (const lock of locks.values()) if (!isExpired(lock, now)) return true
    return false
  }

  /** Forgets locks that expired more than one lifetime ago, so that groups which went away cost nothing. */
  removeAbandoned(): void {
    const limit = this.#clock.now() - 2 * LOCK_LIFETIME_MS
    for (const [group, locks] of this.#groups) {
      for (const [key, lock] of locks) if (lock.renewedAtMs < limit) locks.delete(key)
      if (locks.size === 0) this.#groups.delete(group)
    }
  }
}

function isExpired(lock: QueueLock, now: number): boolean {
  return now - lock.renewedAtMs > LOCK_LIFETIME_MS
}
