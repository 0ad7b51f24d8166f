import { type MessageQueue, pullSysFlag, type SubscriptionData } from '@rocketmq-ts/model'
import {
  decodePullResponse,
  encodeHeader,
  pullMessage,
  RequestCode,
  ResponseCode,
  requestCommand,
} from '@rocketmq-ts/protocol'
import { responseError } from '@rocketmq-ts/remoting'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { BrokerEndpoint } from '../broker-addresses.ts'
import type { ClientInstance } from '../client-instance.ts'

/** What became of a pull. Source: PullStatus, 5.3.x */
export type PullStatus = 'FOUND' | 'NO_NEW_MSG' | 'NO_MATCHED_MSG' | 'OFFSET_ILLEGAL'

/** The answer to one pull, messages not decoded yet. */
export interface PullAnswer {
  readonly status: PullStatus
  /** Where the next pull begins; for `OFFSET_ILLEGAL` the broker's correction. */
  readonly nextBeginOffset: number
  readonly minOffset: number
  /** One above the newest message. */
  readonly maxOffset: number
  /** To be added to the messages' queue offsets. */
  readonly offsetDelta: number
  readonly isFromSlave: boolean
  /** Records in the stored layout, owned by the receiver. Empty unless `FOUND`. */
  readonly body: Buffer
}

/** What one pull asks for. */
export interface PullQuery {
  readonly queue: MessageQueue
  readonly offset: number
  readonly maxCount: number
  /** Sent as a wish; brokers of 5.3 apply their own limit. */
  readonly maxBytes: number
  readonly subscription: SubscriptionData
  /** Whether the expression travels with the pull instead of being taken from the last heartbeat. */
  readonly sendsExpression: boolean
  /** Offset to commit with the pull; undefined for none. Not sent to a slave. */
  readonly commitOffset: number | undefined
  /** How long the broker may hold the pull when there is nothing; 0 for not at all. */
  readonly suspendMs: number
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

const statusByCode: Record<number, PullStatus> = {
  [ResponseCode.SUCCESS]: 'FOUND',
  [ResponseCode.PULL_NOT_FOUND]: 'NO_NEW_MSG',
  [ResponseCode.PULL_RETRY_IMMEDIATELY]: 'NO_MATCHED_MSG',
  [ResponseCode.PULL_OFFSET_MOVED]: 'OFFSET_ILLEGAL',
}

const noBytes = Buffer.alloc(0)

/**
 * Sends pulls of one group, each to the broker that the previous answer for its queue suggested (a slave, when the
 * consumer is far behind). Source: PullAPIWrapper, 5.3.x
 */
export class PullClient {
  readonly #instance: ClientInstance
  readonly #group: string
  readonly #suggestedBrokerIds = new Map<string, number>()

  constructor(instance: ClientInstance, group: string) {
    this.#instance = instance
    this.#group = group
  }

  /**
   * Resolves with the answer. Rejects with `BROKER_NOT_FOUND`, the transport's codes, or `RESPONSE_ERROR` for any other
   * answer of the broker.
   */
  async pull(query: PullQuery, key: string): Promise<PullAnswer> {
    const { queue, subscription } = query
    // No await when the broker is known: the request is then written in this turn.
    const broker = this.#known(queue, key) ?? (await this.#find(queue, key))
    const withCommit = query.commitOffset !== undefined && !broker.isSlave
    const header = {
      consumerGroup: this.#group,
      topic: queue.topic,
      queueId: queue.queueId,
      queueOffset: query.offset,
      maxMsgNums: query.maxCount,
      sysFlag:
        (withCommit ? pullSysFlag.commitOffset : 0) |
        (query.suspendMs > 0 ? pullSysFlag.suspend : 0) |
        (query.sendsExpression ? pullSysFlag.subscription : 0),
      commitOffset: query.commitOffset ?? 0,
      suspendTimeoutMillis: query.suspendMs,
      subscription: query.sendsExpression ? subscription.subString : undefined,
      subVersion: subscription.subVersion,
      expressionType: subscription.expressionType,
      maxMsgBytes: query.maxBytes,
      bname: queue.brokerName,
    }
    const command = requestCommand(RequestCode.PULL_MESSAGE, encodeHeader(pullMessage.request, header))
    const answer = await this.#instance.rpc.invoke(broker.address, command, query.timeoutMs, query.signal)
    const status = statusByCode[answer.code]
    if (status === undefined) throw responseError(pullMessage.name, broker.address, answer)
    const { suggestWhichBrokerId, nextBeginOffset, minOffset, maxOffset, offsetDelta = 0 } = decodePullResponse(answer)
    if (suggestWhichBrokerId === 0) this.#suggestedBrokerIds.delete(key)
    else this.#suggestedBrokerIds.set(key, suggestWhichBrokerId)
    // The body is a view into what the socket read; messages outlive that, so they get bytes of their own: one copy a pull.
    const body = status === 'FOUND' && answer.body ? ownedCopy(answer.body) : noBytes
    return { status, nextBeginOffset, minOffset, maxOffset, offsetDelta, isFromSlave: broker.isSlave, body }
  }

  /** Forgets which broker was suggested for a queue that is given up. */
  forget(key: string): void {
    this.#suggestedBrokerIds.delete(key)
  }

  #known(queue: MessageQueue, key: string): BrokerEndpoint | undefined {
    const { routes } = this.#instance
    return routes.brokerAddress(routes.holderOf(queue), { brokerId: this.#suggestedBrokerIds.get(key) ?? 0 })
  }

  async #find(queue: MessageQueue, key: string): Promise<BrokerEndpoint> {
    await this.#instance.routes.refresh(queue.topic)
    const found = this.#known(queue, key)
    if (found !== undefined) return found
    throw new RocketMqError(
      'BROKER_NOT_FOUND',
      `no route names broker "${queue.brokerName}" of topic "${queue.topic}"`,
      {
        details: { brokerName: queue.brokerName, topic: queue.topic },
      },
    )
  }
}

function ownedCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}
