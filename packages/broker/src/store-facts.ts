import type { MessageStore } from '@rocketmq-ts/store'
import type { BrokerOptions } from './options.ts'
import type { RuntimeFacts } from './stats/runtime-info.ts'

/** What GET_BROKER_RUNTIME_INFO tells of the store. */
export function runtimeFacts(store: MessageStore, options: BrokerOptions, waitingSends: number): RuntimeFacts {
  const { written, flushed, dispatched } = store.watermarks
  return {
    isActive: options.brokerRole !== 'SLAVE',
    commitLogMinOffset: store.minPhysicalOffset,
    commitLogMaxOffset: written,
    bytesBehindDispatch: written - dispatched,
    bytesToFlush: written - flushed,
    earliestStoreTimeMs: store.earliestStoreTime,
    sendQueueSize: waitingSends,
    // A pull that is held waits for messages, not for the broker.
    pullQueueSize: 0,
    scheduleOffsets: [],
  }
}
