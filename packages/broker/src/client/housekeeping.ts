import type { Clock, Timer } from '@rocketmq-ts/runtime'
import type { QueueLocks } from '../lock/queue-locks.ts'
import type { ConsumerGroups } from './consumer-groups.ts'
import type { ProducerGroups } from './producer-groups.ts'

/** How often silent clients are looked for, ms. Source: ClientHousekeepingService, 5.3.x */
const HOUSEKEEPING_PERIOD_MS = 10_000

/**
 * Every 10 s: closes the connections of clients whose heartbeats stopped, and forgets abandoned queue locks. Returns the
 * function that ends it.
 */
export function startHousekeeping(
  clock: Clock,
  consumers: ConsumerGroups,
  producers: ProducerGroups,
  locks: QueueLocks,
  options: { readonly channelExpiredTimeoutMs: number },
): () => void {
  const timer: Timer = clock.setInterval(
    () => {
      producers.expire()
      consumers.expire(options.channelExpiredTimeoutMs)
      locks.removeAbandoned()
    },
    HOUSEKEEPING_PERIOD_MS,
    { unref: true },
  )
  return () => timer.cancel()
}
