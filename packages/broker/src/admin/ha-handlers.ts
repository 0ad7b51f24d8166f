import { getBrokerHaStatus, haRuntimeInfo } from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'

/** What the client side of replication says on a broker that has none. */
const noSlaveSide = {
  transferredByteInSecond: 0,
  maxOffset: 0,
  lastReadTimestamp: 0,
  lastWriteTimestamp: 0,
  masterFlushOffset: 0,
}

/** Replication as an operator sees it: that of a master without slaves. Source: DefaultHAService#getRuntimeInfo, 5.3.x */
export function registerHaStatus(router: Router, deps: { commitLogMaxOffset: () => number }): void {
  router.handle(getBrokerHaStatus, () => ({
    body: haRuntimeInfo.encode({
      master: true,
      masterCommitLogMaxOffset: deps.commitLogMaxOffset(),
      inSyncSlaveNums: 0,
      haConnectionInfo: [],
      haClientRuntimeInfo: noSlaveSide,
    }),
  }))
}
