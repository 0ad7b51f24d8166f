import { javaHashCode } from '@rocketmq-ts/model'
import { type HeartbeatData, RequestCode, requestCommand, stringifyFastjson } from '@rocketmq-ts/protocol'
import type { RpcClient } from '@rocketmq-ts/remoting'
import type { Logger } from '@rocketmq-ts/runtime'
import type { BrokerAddresses } from './broker-addresses.ts'
import type { ConsumerRegistration } from './consume/consumer-registration.ts'

/** Group that every Java client instance announces; tools expect to see it. */
const innerProducerGroup = 'CLIENT_INNER_PRODUCER'

/** What one heartbeat says. `withSubscriptions` false is the short form of version 2. */
export function heartbeatOf(
  clientId: string,
  producerGroups: Iterable<string>,
  consumers: Iterable<ConsumerRegistration>,
): HeartbeatData {
  return {
    clientID: clientId,
    consumerDataSet: [...consumers].map(consumer => ({
      consumeFromWhere: consumer.consumeFromWhere,
      consumeType: consumer.consumeType,
      groupName: consumer.group,
      messageModel: consumer.messageModel,
      subscriptionDataSet: consumer.subscriptions(),
      unitMode: consumer.unitMode,
    })),
    heartbeatFingerprint: 0,
    producerDataSet: [...new Set([innerProducerGroup, ...producerGroups])].map(groupName => ({ groupName })),
    withoutSub: false,
  }
}

/**
 * A number that changes when groups or subscriptions change, and not with the client or a subscription's version.
 * Source: HeartbeatData#computeHeartbeatFingerprint, 5.3.x
 */
export function heartbeatFingerprint(data: HeartbeatData): number {
  const neutral: HeartbeatData = {
    ...data,
    clientID: '',
    heartbeatFingerprint: 0,
    withoutSub: false,
    consumerDataSet: data.consumerDataSet.map(consumer => ({
      ...consumer,
      subscriptionDataSet: consumer.subscriptionDataSet.map(subscription => ({ ...subscription, subVersion: 0 })),
    })),
  }
  return javaHashCode(stringifyFastjson(neutral))
}

/** Sends heartbeats, remembering per broker which full form it has already seen (version 2). */
export class Heartbeats {
  readonly #rpc: RpcClient
  readonly #brokers: BrokerAddresses
  readonly #logger: Logger
  readonly #timeoutMs: number
  readonly #isVersion2: boolean
  /** Address → fingerprint of the last full heartbeat that a broker able of version 2 took. */
  readonly #seenFingerprints = new Map<string, number>()
  /** Address → `version` field of its last answer. */
  readonly brokerVersions = new Map<string, number>()

  constructor(deps: {
    rpc: RpcClient
    brokers: BrokerAddresses
    logger: Logger
    timeoutMs: number
    isVersion2: boolean
  }) {
    this.#rpc = deps.rpc
    this.#brokers = deps.brokers
    this.#logger = deps.logger
    this.#timeoutMs = deps.timeoutMs
    this.#isVersion2 = deps.isVersion2
  }

  /** Makes the next heartbeat to every broker a full one: after a change of queues. */
  forgetFingerprints(): void {
    this.#seenFingerprints.clear()
  }

  /**
   * One heartbeat to each known master, and to slaves too when there is a consumer. Resolves when all have answered or
   * failed; failures are logged, never thrown.
   */
  async sendAll(data: HeartbeatData): Promise<void> {
    const hasConsumers = data.consumerDataSet.length > 0
    const fingerprint = this.#isVersion2 && hasConsumers ? heartbeatFingerprint(data) : 0
    const sent: Promise<void>[] = []
    for (const { brokerName, endpoint } of this.#brokers.entries()) {
      if (endpoint.isSlave && !hasConsumers) continue
      sent.push(this.sendTo(endpoint.address, brokerName, data, fingerprint))
    }
    await Promise.all(sent)
    for (const address of this.#seenFingerprints.keys()) {
      if (!this.#brokers.hasAddress(address)) this.#seenFingerprints.delete(address)
    }
    for (const address of this.brokerVersions.keys()) {
      if (!this.#brokers.hasAddress(address)) this.brokerVersions.delete(address)
    }
  }

  async sendTo(address: string, brokerName: string, data: HeartbeatData, fingerprint = 0): Promise<void> {
    const isShort = fingerprint !== 0 && this.#seenFingerprints.get(address) === fingerprint
    const told: HeartbeatData = { ...data, heartbeatFingerprint: fingerprint, withoutSub: isShort }
    if (isShort) told.consumerDataSet = data.consumerDataSet.map(c => ({ ...c, subscriptionDataSet: [] }))
    try {
      const body = Buffer.from(JSON.stringify(told))
      const answer = await this.#rpc.invoke(address, requestCommand(RequestCode.HEART_BEAT, {}, body), this.#timeoutMs)
      if (answer.code !== 0) {
        this.#logger.warn({ address, brokerName, code: answer.code, remark: answer.remark }, 'broker refused a heartbeat')
        return
      }
      this.brokerVersions.set(address, answer.version)
      if (fingerprint === 0) return
      if (answer.extFields?.IS_SUB_CHANGE === 'true' && isShort) this.#seenFingerprints.delete(address)
      else if (answer.extFields?.IS_SUPPORT_HEART_BEAT_V2 === 'true') this.#seenFingerprints.set(address, fingerprint)
    } catch (error) {
      this.#logger.warn({ address, brokerName, err: error }, 'heartbeat failed')
    }
  }
}
