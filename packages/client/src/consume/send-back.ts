import {
  encodeProperties,
  type MessageQueue,
  propertyNames,
  retryTopic,
  sysFlag,
  withNamespace,
} from '@rocketmq-ts/model'
import { consumerSendMsgBack, sendMessageV2 } from '@rocketmq-ts/protocol'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'
import type { ReceivedMessage } from './received-message.ts'

/** Answer codes of SEND that mean "stored": OK, and the three of a late disk or slave. */
const storedCodes = [0, 10, 11, 12]
const sendTimeoutMs = 3000
const delayLevelOfFirstRetry = 3
/** What -1 means to a broker that is told no limit. */
const defaultMaxReconsumeTimes = 16
/** Group that Java clients send retries as. */
const innerProducerGroup = 'CLIENT_INNER_PRODUCER'

export interface SendBackOptions {
  instance: ClientInstance
  /** As on the wire. */
  group: string
  /** -1: the default of 16. */
  maxReconsumeTimes: number
  unitMode: boolean
  timeoutMs: number
}

/** Gives failed messages back to the broker, which delivers them to the group again later, or to its dead letters. */
export class SendBack {
  readonly #options: SendBackOptions
  readonly #maxReconsumeTimes: number

  constructor(options: SendBackOptions) {
    this.#options = options
    this.#maxReconsumeTimes = options.maxReconsumeTimes < 0 ? defaultMaxReconsumeTimes : options.maxReconsumeTimes
  }

  /**
   * Asks the message's broker to keep it for later; when that fails, sends a copy to the group's retry topic. Resolves when
   * one of the two is stored. `delayLevel` 0: the broker chooses, 1 to 18: that level, -1: dead letter.
   * Rejects with the error of the second way, whose `cause` is that of the first.
   * Source: DefaultMQPushConsumerImpl#sendMessageBack, 5.3.x
   */
  async send(message: ReceivedMessage, delayLevel: number, brokerName = message.brokerName): Promise<void> {
    try {
      await this.#sendBack(message, delayLevel, brokerName)
    } catch (error) {
      await this.sendCopy(message, delayLevel, error)
    }
  }

  async #sendBack(message: ReceivedMessage, delayLevel: number, brokerName: string): Promise<void> {
    const { instance, group, unitMode, timeoutMs } = this.#options
    const queue: MessageQueue = { ...message.batch.from.queue, brokerName }
    const address = await instance.masterOf(queue)
    const header = {
      offset: message.physicalOffset,
      group,
      delayLevel,
      originMsgId: message.messageId,
      originTopic: withNamespace(instance.options.namespace, message.topic),
      unitMode,
      maxReconsumeTimes: this.#maxReconsumeTimes,
      bname: brokerName,
    }
    await instance.rpc.call(consumerSendMsgBack, address, header, { timeoutMs })
  }

  /**
   * Sends a copy to the group's retry topic, as a message of its own; a broker moves it to the dead letters when the limit is
   * exceeded, and always while the group holds queue locks. Rejects with `SEND_FAILED`.
   * Source: ConsumeMessageOrderlyService#sendMessageBack, 5.3.x
   */
  async sendCopy(message: ReceivedMessage, delayLevel = 0, cause?: unknown): Promise<void> {
    const { instance, group, unitMode } = this.#options
    const topic = retryTopic(group)
    try {
      const { queues } = await instance.routes.publishInfo(topic)
      const queue = queues[instance.random.int(queues.length)]!
      const address = await instance.masterOf(queue)
      // A broker moves what was retried more often than the limit to the dead letters.
      const reconsumeTimes = delayLevel < 0 ? this.#maxReconsumeTimes + 1 : message.reconsumeTimes + 1
      const header = {
        a: innerProducerGroup,
        b: topic,
        c: 'TBW102',
        d: 4,
        e: queue.queueId,
        f: message.sysFlag & (sysFlag.compressed | sysFlag.compressionMask),
        g: instance.clock.now(),
        h: message.flag,
        i: this.#copyProperties(message, reconsumeTimes, delayLevel),
        j: reconsumeTimes,
        k: unitMode,
        l: this.#maxReconsumeTimes,
        m: false,
        n: queue.brokerName,
      }
      const options = { timeoutMs: sendTimeoutMs, body: message.storedBody, accept: storedCodes }
      await instance.rpc.call(sendMessageV2, address, header, options)
    } catch (error) {
      throw new RocketMqError('SEND_FAILED', `a message of "${message.topic}" could not be sent to ${topic}`, {
        cause: error,
        details: { sendBackError: cause, topic, queueOffset: message.queueOffset },
      })
    }
  }

  #copyProperties(message: ReceivedMessage, reconsumeTimes: number, delayLevel: number): string {
    const properties = new Map(message.properties)
    properties.set(propertyNames.retryTopic, withNamespace(this.#options.instance.options.namespace, message.topic))
    if (!properties.has(propertyNames.originMessageId)) {
      properties.set(propertyNames.originMessageId, message.messageId)
    }
    properties.set(propertyNames.reconsumeTime, String(reconsumeTimes))
    properties.set(propertyNames.maxReconsumeTimes, String(this.#maxReconsumeTimes))
    properties.delete(propertyNames.transactionPrepared)
    const level = delayLevel > 0 ? delayLevel : delayLevelOfFirstRetry + message.reconsumeTimes
    properties.set(propertyNames.delayTimeLevel, String(level))
    return encodeProperties(properties)
  }
}
