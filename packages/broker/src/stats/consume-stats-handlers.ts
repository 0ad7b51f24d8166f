import { consumeStats, consumeStatsList, getBrokerConsumeStats, getConsumeStats } from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { SubscriptionGroupTable } from '../subscription/group-table.ts'
import { addProgress, type ConsumeStatsDeps, type GroupProgress, topicsOfGroup, totalsOf } from './consume-stats.ts'

/** What {@link registerConsumeStats} uses. */
export interface ConsumeStatsHandlerDeps extends ConsumeStatsDeps {
  readonly groups: SubscriptionGroupTable
  /** `ip:port` under which the broker is registered. */
  readonly brokerAddress: () => string
}

/** How far the groups have come. Source: AdminBrokerProcessor#getConsumeStats, #fetchAllConsumeStatsInBroker, 5.3.x */
export function registerConsumeStats(router: Router, deps: ConsumeStatsHandlerDeps): void {
  router.handle(getConsumeStats, async ({ header }) => {
    const { consumerGroup, topic, topicList } = header
    const listed = (topicList ?? '').split(';').filter(name => name !== '')
    // Topics that are listed count even when nobody subscribes to them.
    const names = listed.length > 0 ? [...new Set(listed)] : topicsOfGroup(consumerGroup, topic, deps)
    const progress: GroupProgress = { offsetTable: new Map(), consumeTps: 0 }
    for (const name of names) {
      const config = deps.topics.get(name)
      if (config !== undefined) await addProgress(progress, consumerGroup, name, config.readQueueNums, deps)
    }
    return { body: consumeStats.encode(progress) }
  })

  router.handle(getBrokerConsumeStats, async ({ header }) => {
    const groupStats: Map<string, GroupProgress[]>[] = []
    let totalDiff = 0
    let totalInflightDiff = 0
    for (const { groupName } of [...deps.groups.values()]) {
      const list: GroupProgress[] = []
      for (const name of topicsOfGroup(groupName, undefined, deps)) {
        const config = deps.topics.get(name)
        if (config === undefined || (header.isOrder && !config.order)) continue
        const progress: GroupProgress = { offsetTable: new Map(), consumeTps: 0 }
        await addProgress(progress, groupName, name, config.writeQueueNums, deps)
        const totals = totalsOf(progress)
        totalDiff += totals.diff
        totalInflightDiff += totals.inflight
        list.push(progress)
      }
      groupStats.push(new Map([[groupName, list]]))
    }
    const body = { brokerAddr: deps.brokerAddress(), consumeStatsList: groupStats, totalDiff, totalInflightDiff }
    return { body: consumeStatsList.encode(body) }
  })
}
