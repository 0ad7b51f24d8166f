import { type MessageQueue, messageQueueKey } from '@rocketmq-ts/model'
import {
  encodeHeader,
  queryConsumerOffset,
  RequestCode,
  ResponseCode,
  requestCommand,
  updateConsumerOffset,
} from '@rocketmq-ts/protocol'
import { type Logger, RateLimitedLog, RocketMqError } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'
import type { OffsetStore } from './offset-store.ts'

const queryTimeoutMs = 5000
const updateTimeoutMs = 5000

interface Entry {
  offset: number
  isFrozen: boolean
}

/**
 * Progress kept by the broker, shared by the group: for clustering. Source: RemoteBrokerOffsetStore, 5.3.x
 */
export class RemoteOffsetStore implements OffsetStore {
  readonly #instance: ClientInstance
  readonly #group: string
  readonly #log: RateLimitedLog
  readonly #setZeroIfNotFound: boolean
  readonly #entries = new Map<string, Entry>()

  /**
   * `setZeroIfNotFound` false asks the broker not to answer 0 for a group without an offset on a young queue, so that the
   * consumer's own rule for the first start decides.
   */
  constructor(instance: ClientInstance, group: string, options: { setZeroIfNotFound: boolean; logger: Logger }) {
    this.#instance = instance
    this.#group = group
    this.#setZeroIfNotFound = options.setZeroIfNotFound
    this.#log = new RateLimitedLog(instance.clock, options.logger)
  }

  async load(): Promise<void> {}

  update(key: string, _queue: MessageQueue, offset: number, increaseOnly: boolean): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) this.#entries.set(key, { offset, isFrozen: false })
    else if (!entry.isFrozen && (!increaseOnly || offset > entry.offset)) entry.offset = offset
  }

  updateAndFreeze(key: string, _queue: MessageQueue, offset: number): void {
    this.#entries.set(key, { offset, isFrozen: true })
  }

  memory(key: string): number | undefined {
    return this.#entries.get(key)?.offset
  }

  /** Rejects with the transport's code, or `RESPONSE_ERROR`. */
  async stored(key: string, queue: MessageQueue): Promise<number | undefined> {
    const { topic, queueId } = queue
    const header = {
      consumerGroup: this.#group,
      topic,
      queueId,
      bname: queue.brokerName,
      ...(this.#setZeroIfNotFound ? {} : { setZeroIfNotFound: false }),
    }
    const address = await this.#address(queue)
    try {
      const answer = await this.#instance.rpc.call(queryConsumerOffset, address, header, { timeoutMs: queryTimeoutMs })
      this.update(key, queue, answer.header.offset, false)
      return answer.header.offset
    } catch (error) {
      if (RocketMqError.is(error) && error.details.responseCode === ResponseCode.QUERY_NOT_FOUND) return undefined
      throw error
    }
  }

  async persistAll(queues: Iterable<MessageQueue>, options: { confirmed?: boolean } = {}): Promise<void> {
    const kept = new Set<string>()
    const sent: Promise<void>[] = []
    for (const queue of queues) {
      const key = messageQueueKey(queue)
      kept.add(key)
      const entry = this.#entries.get(key)
      if (entry !== undefined) sent.push(this.#send(queue, entry.offset, options.confirmed ?? false))
    }
    for (const key of this.#entries.keys()) if (!kept.has(key)) this.#entries.delete(key)
    await Promise.all(sent)
  }

  async persist(key: string, queue: MessageQueue): Promise<void> {
    const entry = this.#entries.get(key)
    if (entry !== undefined) await this.#send(queue, entry.offset, true)
  }

  remove(key: string): void {
    this.#entries.delete(key)
  }

  async #send(queue: MessageQueue, commitOffset: number, confirmed: boolean): Promise<void> {
    const { topic, queueId, brokerName } = queue
    const header = { consumerGroup: this.#group, topic, queueId, commitOffset, bname: brokerName }
    try {
      const address = await this.#address(queue)
      if (confirmed) {
        await this.#instance.rpc.call(updateConsumerOffset, address, header, { timeoutMs: updateTimeoutMs })
      } else {
        const ext = encodeHeader(updateConsumerOffset.request, header)
        await this.#instance.rpc.sendOneway(address, requestCommand(RequestCode.UPDATE_CONSUMER_OFFSET, ext))
      }
    } catch (error) {
      this.#log.warn(brokerName, { topic, brokerName, queueId, commitOffset, err: error }, 'offset not persisted')
    }
  }

  /** The queue's master, else any broker of its name, else after a refresh of the route. */
  async #address(queue: MessageQueue): Promise<string> {
    const { routes } = this.#instance
    const known = routes.brokerAddress(routes.holderOf(queue))
    if (known !== undefined) return known.address
    await routes.refresh(queue.topic)
    const found = routes.brokerAddress(routes.holderOf(queue))
    if (found !== undefined) return found.address
    throw new RocketMqError('BROKER_NOT_FOUND', `no route names broker "${queue.brokerName}"`, {
      details: { brokerName: queue.brokerName, topic: queue.topic },
    })
  }
}
