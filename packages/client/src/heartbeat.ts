import { systemGroups } from '@rocketmq-ts/model'
import {
  type HeartbeatData,
  heartbeatData,
  heartbeatFingerprint,
  RequestCode,
  requestCommand,
} from '@rocketmq-ts/protocol'
import type { RpcClient } from '@rocketmq-ts/remoting'
import { type Clock, type Logger, RateLimitedLog } from '@rocketmq-ts/runtime'
import type { BrokerAddresses } from './broker-addresses.ts'
import type { ConsumerRegistration } from './consume/consumer-registration.ts'

/** What one full heartbeat says. The inner producer's group is in those of every Java client; tools expect to see it. */
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
    producerDataSet: [...new Set([systemGroups.clientInnerProducer, ...producerGroups])].map(groupName => ({
      groupName,
    })),
    withoutSub: false,
  }
}

/** Sends heartbeats, remembering per broker which full form it has already seen (version 2). */
export class Heartbeats {
  readonly #rpc: RpcClient
  readonly #brokers: BrokerAddresses
  readonly #log: RateLimitedLog
  readonly #sendingTo = new Set<string>()
  readonly #timeoutMs: number
  readonly #isVersion2: boolean
  /** Address → fingerprint of the last full heartbeat that a broker able of version 2 took. */
  readonly #seenFingerprints = new Map<string, number>()
  /** Address → `version` field of its last answer. */
  readonly brokerVersions = new Map<string, number>()

  constructor(deps: {
    rpc: RpcClient
    brokers: BrokerAddresses
    clock: Clock
    logger: Logger
    timeoutMs: number
    isVersion2: boolean
  }) {
    this.#rpc = deps.rpc
    this.#brokers = deps.brokers
    this.#log = new RateLimitedLog(deps.clock, deps.logger, { periodMs: 600_000 })
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

  /** True while a heartbeat to this address is under way. */
  isSendingTo(address: string): boolean {
    return this.#sendingTo.has(address)
  }

  /** One heartbeat; fails and resolves as {@link sendAll}. */
  async sendTo(address: string, brokerName: string, data: HeartbeatData, fingerprint = 0): Promise<void> {
    this.#sendingTo.add(address)
    const isShort = fingerprint !== 0 && this.#seenFingerprints.get(address) === fingerprint
    const consumerDataSet = isShort
      ? data.consumerDataSet.map(consumer => ({ ...consumer, subscriptionDataSet: [] }))
      : data.consumerDataSet
    const told = { ...data, consumerDataSet, heartbeatFingerprint: fingerprint, withoutSub: isShort }
    try {
      const body = heartbeatData.encode(told)
      const answer = await this.#rpc.invoke(address, requestCommand(RequestCode.HEART_BEAT, {}, body), this.#timeoutMs)
      if (answer.code !== 0) {
        const fields = { address, brokerName, code: answer.code, remark: answer.remark }
        this.#log.warn(`refused ${address}`, fields, 'broker refused a heartbeat')
        return
      }
      this.brokerVersions.set(address, answer.version)
      if (fingerprint === 0) return
      if (answer.extFields?.IS_SUB_CHANGE === 'true' && isShort) this.#seenFingerprints.delete(address)
      else if (answer.extFields?.IS_SUPPORT_HEART_BEAT_V2 === 'true') this.#seenFingerprints.set(address, fingerprint)
    } catch (error) {
      this.#log.warn(`failed ${address}`, { address, brokerName, err: error }, 'heartbeat failed')
    } finally {
      this.#sendingTo.delete(address)
    }
  }
}
