import {
  deleteSubscriptiongroup,
  getAllSubscriptiongroupConfig,
  getSubscriptiongroupConfig,
  groupForbidden,
  ResponseCode,
  subscriptionGroupConfigBody,
  subscriptionGroupList,
  subscriptionGroupWrapper,
  updateAndCreateSubscriptiongroup,
  updateAndCreateSubscriptiongroupList,
  updateAndGetGroupForbidden,
} from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { ConsumerOffsets } from '../offset/consumer-offsets.ts'
import { reasonOf } from '../remarks.ts'
import type { BrokerStats } from '../stats/broker-stats.ts'
import { forbiddenReadIndex, type SubscriptionGroupTable } from './group-table.ts'

/** What {@link registerGroups} uses. */
export interface GroupHandlerDeps {
  readonly groups: SubscriptionGroupTable
  readonly offsets: ConsumerOffsets
  readonly stats: BrokerStats
}

/** Creating, changing, deleting and listing subscription groups. Source: AdminBrokerProcessor, 5.3.x */
export function registerGroups(router: Router, deps: GroupHandlerDeps): void {
  const { groups, offsets, stats } = deps
  registerGroupChanges(router, groups)

  router.handle(deleteSubscriptiongroup, ({ header }) => {
    groups.delete(header.groupName)
    if (header.cleanOffset) offsets.removeGroup(header.groupName)
    stats.deleteGroup(header.groupName)
    return {}
  })

  router.handle(getAllSubscriptiongroupConfig, () => ({ body: subscriptionGroupWrapper.encode(groups.snapshot()) }))

  router.handle(getSubscriptiongroupConfig, ({ header }) => {
    const group = groups.find(header.group)
    if (group !== undefined) return { body: subscriptionGroupConfigBody.encode(group) }
    return { code: ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, remark: 'No group in this broker' }
  })

  router.handle(updateAndGetGroupForbidden, ({ header }) => {
    const { group, topic, readable } = header
    if (readable !== undefined) groups.setForbidden(group, topic, forbiddenReadIndex, !readable)
    const body = groupForbidden.encode({ group, topic, readable: !groups.isReadForbidden(group, topic) })
    return { remark: '', body }
  })
}

function registerGroupChanges(router: Router, groups: SubscriptionGroupTable): void {
  router.handle(updateAndCreateSubscriptiongroup, ({ body }) => {
    groups.update(subscriptionGroupConfigBody.decode(body ?? Buffer.alloc(0)))
    return {}
  })

  router.handle(updateAndCreateSubscriptiongroupList, ({ body }) => {
    try {
      for (const config of subscriptionGroupList.decode(body ?? Buffer.alloc(0)).groupConfigList) groups.update(config)
      return {}
    } catch (error) {
      return { code: ResponseCode.SYSTEM_ERROR, remark: reasonOf(error) }
    }
  })
}
