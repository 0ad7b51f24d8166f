import { decodeOffsetMessageId } from '@rocketmq-ts/model'
import {
  consumeMessageDirectly,
  getConsumerRunningInfo,
  getConsumerStatusBody,
  getConsumerStatusFromClient,
  invokeBrokerToGetConsumerStatus,
  type RemotingCommand,
  ResponseCode,
  requestCommand,
  versionGates,
  versionName,
} from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { Logger } from '@rocketmq-ts/runtime'
import type { MessageStore } from '@rocketmq-ts/store'
import type { Member } from '../client/consumer-group.ts'
import type { ConsumerGroups } from '../client/consumer-groups.ts'
import type { BrokerOptions } from '../options.ts'
import { unsetRemark } from '../remarks.ts'
import type { SubscriptionGroupTable } from '../subscription/group-table.ts'
import type { TopicTable } from '../topic/topic-table.ts'
import { callConsumer } from './client-calls.ts'

/** How long a client may take to tell its offsets. */
const statusTimeoutMs = 5000

/** What {@link registerClientCalls} uses. */
export interface ClientCallDeps {
  readonly consumers: ConsumerGroups
  readonly topics: TopicTable
  readonly groups: SubscriptionGroupTable
  readonly options: BrokerOptions
  readonly store: Pick<MessageStore, 'messageAt'>
  readonly logger: Logger
}

/** Requests that the broker passes on to online consumers. Source: AdminBrokerProcessor, Broker2Client, 5.3.x */
export function registerClientCalls(router: Router, deps: ClientCallDeps): void {
  const { consumers, store } = deps

  router.handle(getConsumerRunningInfo, ({ header, command }) =>
    callConsumer(consumers, header.consumerGroup, header.clientId, command),
  )

  router.handle(consumeMessageDirectly, async ({ header, command }) => {
    const record = await messageOf(header.msgId ?? '', store)
    if (record === undefined) {
      return { code: ResponseCode.SYSTEM_ERROR, remark: `look message by offset failed, ${header.msgId}` }
    }
    const extFields = { ...command.extFields, ...flagsFor(header.topic, header.consumerGroup, deps) }
    const request = requestCommand(command.code, extFields, record)
    return callConsumer(consumers, header.consumerGroup, header.clientId ?? '', request)
  })

  router.handle(invokeBrokerToGetConsumerStatus, async ({ header }) => {
    const { topic, group, clientAddr = '' } = header
    const members = [...(consumers.get(group)?.members() ?? [])]
    if (members.length === 0) {
      return { code: ResponseCode.SYSTEM_ERROR, remark: `No Any Consumer online in the consumer group: [${group}]` }
    }
    const asked = members.filter(member => clientAddr.trim() === '' || member.clientId === clientAddr)
    const tooOld = asked.find(member => member.version < versionGates.consumerStatusRequests)
    if (tooOld !== undefined) {
      const remark = `the client does not support this feature. version=${versionName(tooOld.version)}`
      return { code: ResponseCode.SYSTEM_ERROR, remark }
    }
    const answers = await Promise.all(asked.map(member => offsetsOf(member, topic, group, deps.logger)))
    const consumerTable = new Map(asked.flatMap((member, index) => entryOf(member.clientId, answers[index])))
    return { remark: unsetRemark, body: getConsumerStatusBody.encode({ messageQueueTable: new Map(), consumerTable }) }
  })
}

function entryOf<T>(key: string, value: T | undefined): [string, T][] {
  return value === undefined ? [] : [[key, value]]
}

async function messageOf(offsetMessageId: string, store: Pick<MessageStore, 'messageAt'>): Promise<Buffer | undefined> {
  return store.messageAt(decodeOffsetMessageId(offsetMessageId).physicalOffset)
}

/** What a client needs to know about topic and group of a message it shall consume. */
function flagsFor(topic: string | undefined, group: string, deps: ClientCallDeps): Record<string, string> {
  const topicConfig = topic === undefined ? undefined : deps.topics.get(topic)
  const groupConfig = group === '' ? undefined : deps.groups.find(group)
  return {
    brokerName: deps.options.brokerName,
    ...(topicConfig === undefined ? {} : { topicSysFlag: String(topicConfig.topicSysFlag) }),
    ...(groupConfig === undefined ? {} : { groupSysFlag: String(groupConfig.groupSysFlag) }),
  }
}

async function offsetsOf(member: Member, topic: string, group: string, logger: Logger) {
  const request: RemotingCommand = requestCommand(getConsumerStatusFromClient.code, { topic, group })
  try {
    const answer = await member.connection.call(request, statusTimeoutMs)
    if (answer.code !== ResponseCode.SUCCESS || answer.body === undefined) return undefined
    return getConsumerStatusBody.decode(answer.body).messageQueueTable
  } catch (error) {
    logger.warn({ err: error, clientId: member.clientId, topic, group }, 'a client did not tell its offsets')
    return undefined
  }
}
