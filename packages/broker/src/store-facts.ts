import { systemTopics } from '@rocketmq-ts/model'
import type { MessageStore } from '@rocketmq-ts/store'
import type { BrokerOptions } from './options.ts'
import type { RuntimeFacts } from './stats/runtime-info.ts'

/** What GET_BROKER_RUNTIME_INFO tells of the store. */
export function runtimeFacts(
  store: MessageStore,
  options: BrokerOptions,
  waiting: { readonly sends: number; readonly delayOffsets: readonly (readonly [level: number, offset: number])[] },
): RuntimeFacts {
  const { written, flushed, dispatched } = store.watermarks
  return {
    isActive: options.brokerRole !== 'SLAVE',
    commitLogMinOffset: store.minPhysicalOffset,
    commitLogMaxOffset: written,
    bytesBehindDispatch: written - dispatched,
    bytesToFlush: written - flushed,
    earliestStoreTimeMs: store.earliestStoreTime,
    sendQueueSize: waiting.sends,
    // A pull that is held waits for messages, not for the broker.
    pullQueueSize: 0,
    scheduleOffsets: waiting.delayOffsets.map(
      ([level, offset]) => [level, offset, store.maxOffset(systemTopics.schedule, level - 1)] as const,
    ),
  }
}
