import { exchangeBrokerHaInfo, getBrokerEpochCache, notifyMinBrokerIdChange, ResponseCode } from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { BrokerOptions } from '../options.ts'

/** What {@link registerGroupMember} uses. */
export interface GroupMemberDeps {
  readonly options: BrokerOptions
  /** `ip:port` for clients and for slaves. */
  readonly addresses: () => { readonly broker: string; readonly ha: string }
  /** End of the commit log when the broker started. */
  readonly startOffset: number
}

/** What the members of a broker group tell and ask each other. Source: AdminBrokerProcessor, 5.3.x */
export function registerGroupMember(router: Router, deps: GroupMemberDeps): void {
  const { options } = deps

  router.handle(exchangeBrokerHaInfo, ({ header }) => {
    // A master has nobody to take an address over for; it only tells its own.
    if (header.masterHaAddress !== undefined || options.brokerId !== 0) return {}
    const { broker, ha } = deps.addresses()
    return { header: { masterHaAddress: ha, masterFlushOffset: deps.startOffset, masterAddress: broker } }
  })

  // Only a broker that may act as master does something about it; the name server tells all.
  router.handle(notifyMinBrokerIdChange, () => ({}))

  router.handle(getBrokerEpochCache, () => ({
    code: ResponseCode.SYSTEM_ERROR,
    remark: 'this request only for controllerMode ',
  }))
}
