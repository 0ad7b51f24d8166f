import { type HeartbeatData, heartBeat, heartbeatData, type RemotingCommand } from '@rocketmq-ts/protocol'
import type { Connection, Router } from '@rocketmq-ts/remoting'
import type { SubscriptionGroupTable } from '../subscription/group-table.ts'
import type { TopicTable } from '../topic/topic-table.ts'
import type { ClientInfo } from './consumer-group.ts'
import type { ConsumerGroups } from './consumer-groups.ts'
import type { ProducerGroups } from './producer-groups.ts'

/** What HEART_BEAT uses. */
export interface HeartbeatDeps {
  readonly topics: TopicTable
  readonly groups: SubscriptionGroupTable
  readonly consumers: ConsumerGroups
  readonly producers: ProducerGroups
  readonly options: {
    readonly rejectPullConsumerEnable: boolean
    readonly enableRegisterProducer: boolean
    readonly rejectTransactionMessage: boolean
  }
}

type ConsumerData = HeartbeatData['consumerDataSet'][number]

/**
 * HEART_BEAT (34), both versions. Version 2 is told by a fingerprint other than 0: one number per group, that of whichever
 * member sent last; a member that finds another one there is answered IS_SUB_CHANGE=true and sends its subscriptions again.
 *
 * Unlike Java, a short heartbeat for a group whose subscriptions this broker doesn't have (it was restarted) is answered
 * IS_SUB_CHANGE=true as well; there, the pulls of such a group fail until its subscriptions change.
 * Source: ClientManageProcessor#heartBeat, #heartBeatV2, 5.3.x
 */
export function registerHeartbeat(router: Router, deps: HeartbeatDeps): void {
  const handler = new HeartbeatHandler(deps)
  router.handle(heartBeat, request => handler.handle(request.body, request.command, request.connection))
}

class HeartbeatHandler {
  readonly #deps: HeartbeatDeps
  /** By group; groups that are gone are dropped with the next heartbeat that finds more entries than groups. */
  readonly #fingerprints = new Map<string, number>()

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps
  }

  handle(body: Buffer | undefined, command: RemotingCommand, connection: Connection) {
    const heartbeat = heartbeatData.decode(body ?? Buffer.alloc(0))
    const client: ClientInfo = {
      connection,
      clientId: heartbeat.clientID,
      language: command.language,
      version: command.version,
    }
    let isSubscriptionStale = heartbeat.heartbeatFingerprint === 0
    for (const consumer of heartbeat.consumerDataSet) {
      if (this.#takeConsumer(consumer, heartbeat, client)) isSubscriptionStale = true
    }
    if (this.#wantsProducers) {
      for (const producer of heartbeat.producerDataSet) this.#deps.producers.register(producer.groupName, client)
    }
    this.#forgetOldFingerprints()
    return { ext: { IS_SUPPORT_HEART_BEAT_V2: 'true', IS_SUB_CHANGE: String(isSubscriptionStale) } }
  }

  /** Producers are only ever asked about transactions; a broker without those may be told to forget them. */
  get #wantsProducers(): boolean {
    const { enableRegisterProducer, rejectTransactionMessage } = this.#deps.options
    return enableRegisterProducer || !rejectTransactionMessage
  }

  /** True when the member should send its subscriptions in full. */
  #takeConsumer(consumer: ConsumerData, heartbeat: HeartbeatData, client: ClientInfo): boolean {
    const { options, groups, topics, consumers } = this.#deps
    if (options.rejectPullConsumerEnable && consumer.consumeType === 'CONSUME_ACTIVELY') return false
    const { groupName } = consumer
    const fingerprint = heartbeat.heartbeatFingerprint
    const known = this.#fingerprints.get(groupName)
    this.#fingerprints.set(groupName, fingerprint)
    let isStale = fingerprint !== 0 && known !== undefined && known !== fingerprint
    const config = groups.find(groupName)
    if (config === undefined) return isStale

    const hasOrderedTopic = consumer.subscriptionDataSet.some(data => topics.get(data.topic)?.order === true)
    topics.ensureRetryTopic(groupName, config.retryQueueNums, {
      sysFlag: consumer.unitMode ? unitSubscriptionFlag : 0,
      order: hasOrderedTopic,
    })
    const isShort = fingerprint !== 0 && heartbeat.withoutSub
    const subscriptions = isShort ? undefined : consumer.subscriptionDataSet
    consumers.register(groupName, client, consumer, subscriptions, config.notifyConsumerIdsChangedEnable)
    if (isShort && consumers.get(groupName)?.subscriptionCount === 0) isStale = true
    return isStale
  }

  #forgetOldFingerprints(): void {
    if (this.#fingerprints.size <= this.#deps.groups.size + spareFingerprints) return
    for (const group of this.#fingerprints.keys()) {
      if (this.#deps.consumers.get(group) === undefined) this.#fingerprints.delete(group)
    }
  }
}

/** Topic system flag of a unit's subscription. */
const unitSubscriptionFlag = 2
const spareFingerprints = 1024
