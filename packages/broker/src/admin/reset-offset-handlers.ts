import type { MessageQueue } from '@rocketmq-ts/model'
import {
  cloneGroupOffset,
  invokeBrokerToResetOffset,
  ResponseCode,
  requestCommand,
  resetConsumerClientOffset,
  resetOffsetBody,
  resetOffsetBodyForC,
  versionGates,
  versionName,
} from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import { type Logger, RocketMqError } from '@rocketmq-ts/runtime'
import type { MessageStore } from '@rocketmq-ts/store'
import type { ConsumerGroups } from '../client/consumer-groups.ts'
import type { ConsumerOffsets } from '../offset/consumer-offsets.ts'
import type { BrokerOptions } from '../options.ts'
import { isSubscribed } from '../stats/consume-stats.ts'
import type { SubscriptionGroupTable } from '../subscription/group-table.ts'
import type { TopicTable } from '../topic/topic-table.ts'

/** What {@link registerOffsetAdmin} uses. */
export interface OffsetAdminDeps {
  readonly topics: TopicTable
  readonly groups: SubscriptionGroupTable
  readonly offsets: ConsumerOffsets
  readonly consumers: ConsumerGroups
  readonly options: BrokerOptions
  readonly store: Pick<MessageStore, 'minOffset' | 'maxOffset' | 'offsetByTime'>
  readonly logger: Logger
}

interface ResetRequest {
  readonly topic: string
  readonly group: string
  readonly queueId: number
  readonly offset: number | undefined
  readonly timestamp: number
  readonly isForce: boolean
}

/** Moving and copying the offsets of a group. Source: AdminBrokerProcessor#resetOffset, #cloneGroupOffset, 5.3.x */
export function registerOffsetAdmin(router: Router, deps: OffsetAdminDeps): void {
  router.handle(invokeBrokerToResetOffset, async ({ header, command }) => {
    const offsetTable = deps.options.useServerSideResetOffset
      ? await resetHere(header, deps)
      : await resetAtClients(header, command.language === 'CPP', deps)
    return { body: resetOffsetBody.encode({ offsetTable }) }
  })

  router.handle(cloneGroupOffset, ({ header }) => {
    const { srcGroup, destGroup, topic = '', offline } = header
    const names = topic.trim() === '' ? deps.offsets.topicsOf(srcGroup) : [topic]
    for (const name of names) {
      if (deps.topics.get(name) === undefined) continue
      if (!offline && !isSubscribed(srcGroup, name, deps.consumers)) continue
      deps.offsets.cloneGroup(srcGroup, destGroup, name)
    }
    return {}
  })
}

function refuse(responseCode: number, remark: string): RocketMqError {
  return new RocketMqError('INVALID_ARGUMENT', remark, { details: { responseCode, remark } })
}

/** The offset of the first message at or after `timestamp`; the end of the queue for a negative one. */
function offsetAt(topic: string, queueId: number, timestamp: number, deps: OffsetAdminDeps): number | Promise<number> {
  if (timestamp < 0) return deps.store.maxOffset(topic, queueId)
  return deps.store.offsetByTime(topic, queueId, timestamp, 'lower')
}

/** Sets the offsets in this broker, from where the consumers take them over at their next pull. */
async function resetHere(request: ResetRequest, deps: OffsetAdminDeps): Promise<Map<MessageQueue, number>> {
  const { topic, group, queueId, timestamp } = request
  if (deps.options.brokerRole === 'SLAVE') {
    throw refuse(ResponseCode.SYSTEM_ERROR, 'Can not reset offset in slave broker')
  }
  const config = deps.topics.get(topic)
  if (config === undefined) throw refuse(ResponseCode.TOPIC_NOT_EXIST, `Topic ${topic} does not exist`)
  if (!deps.groups.has(group)) throw refuse(ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, `Group ${group} does not exist`)
  const targets = new Map<number, number>()
  if (queueId >= 0) targets.set(queueId, await targetOf(request, deps))
  else {
    for (let id = 0; id < config.readQueueNums; id++) targets.set(id, await offsetAt(topic, id, timestamp, deps))
  }
  if (targets.size === 0) throw refuse(ResponseCode.SYSTEM_ERROR, 'No queues to reset.')
  const table = new Map<MessageQueue, number>()
  for (const [id, offset] of targets) {
    deps.offsets.assignReset(group, topic, id, offset)
    table.set({ topic, brokerName: deps.options.brokerName, queueId: id }, offset)
  }
  deps.logger.info({ topic, group, queues: table.size, timestamp }, 'consumer offsets reset')
  return table
}

async function targetOf(request: ResetRequest, deps: OffsetAdminDeps): Promise<number> {
  const { topic, queueId, offset, timestamp } = request
  if (offset === undefined || offset === -1) return offsetAt(topic, queueId, timestamp, deps)
  const min = deps.store.minOffset(topic, queueId)
  const max = deps.store.maxOffset(topic, queueId)
  if ((min >= 0 && offset < min) || offset > max + 1) {
    const remark = `Target offset ${offset} not in consume queue range [${min}-${max}]`
    throw refuse(ResponseCode.SYSTEM_ERROR, remark)
  }
  return offset
}

/** Has the online consumers reset themselves: forwards only with `isForce`, else never past what is consumed. */
async function resetAtClients(
  request: ResetRequest,
  isForCpp: boolean,
  deps: OffsetAdminDeps,
): Promise<Map<MessageQueue, number>> {
  const { topic, group, timestamp, isForce } = request
  const config = deps.topics.get(topic)
  if (config === undefined) {
    const remark = `[reset-offset] reset offset failed, no topic in this broker. topic=${topic}`
    throw refuse(ResponseCode.TOPIC_NOT_EXIST, remark)
  }
  const table = new Map<MessageQueue, number>()
  for (let queueId = 0; queueId < config.writeQueueNums; queueId++) {
    const consumed = deps.offsets.query(group, topic, queueId)
    if (consumed === -1) throw refuse(ResponseCode.SYSTEM_ERROR, `THe consumer group <${group}> not exist`)
    const wanted = Math.max(0, await offsetAt(topic, queueId, timestamp === -1 ? -1 : timestamp, deps))
    const target = isForce || wanted < consumed ? wanted : consumed
    table.set({ topic, brokerName: deps.options.brokerName, queueId }, target)
  }
  tellClients(
    request,
    isForCpp ? resetOffsetBodyForC.encode(forC(table)) : resetOffsetBody.encode({ offsetTable: table }),
    deps,
  )
  return table
}

function forC(table: ReadonlyMap<MessageQueue, number>) {
  return { offsetTable: Array.from(table, ([queue, offset]) => ({ ...queue, offset })) }
}

function tellClients({ topic, group, timestamp }: ResetRequest, body: Buffer, deps: OffsetAdminDeps): void {
  const members = [...(deps.consumers.get(group)?.members() ?? [])]
  if (members.length === 0) {
    const remark = `Consumer not online, so can not reset offset, Group: ${group} Topic: ${topic} Timestamp: ${timestamp}`
    throw refuse(ResponseCode.CONSUMER_NOT_ONLINE, remark)
  }
  const extFields = { topic, group, timestamp: String(timestamp), queueId: '-1', isForce: 'false' }
  for (const { connection, version } of members) {
    if (version < versionGates.consumerStatusRequests) {
      const remark = `the client does not support this feature. version=${versionName(version)}`
      throw refuse(ResponseCode.SYSTEM_ERROR, remark)
    }
    connection.sendOneway(requestCommand(resetConsumerClientOffset.code, extFields, body))
  }
}
