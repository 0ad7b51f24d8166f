import { randomUUID } from 'node:crypto'
import {
  decodeProperties,
  findProperty,
  type Message,
  messageBody,
  messageProperties,
  propertyNames,
  replyMessageType,
  replyTopic,
  withNamespace,
} from '@rocketmq-ts/model'
import { decodeHeader, pushReplyMessageToClient, type RemotingCommand, RequestCode } from '@rocketmq-ts/protocol'
import { type Deferred, deferred, offAbort, onAbort, RocketMqError, type Timer } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'
import { decompressBody } from '../compression/compression.ts'
import type { ReceivedMessage } from '../consume/received-message.ts'
import { checkMessage } from './message-preparation.ts'
import type { SendResult } from './send-result.ts'
import type { RawMessage, SendOptions } from './send-types.ts'

/** What a consumer replied to a request. */
export interface ReplyMessage {
  readonly body: Buffer
  /** All properties, those of the system included. */
  readonly properties: ReadonlyMap<string, string>
  /** `ip:port` of the replier as its broker saw it. */
  readonly bornHost: string
  /** ms since 1970 on the replier's clock. */
  readonly bornTimestamp: number
}

/** What sends the two halves of an exchange. */
interface RawSender {
  sendRaw(message: RawMessage, options?: SendOptions): Promise<SendResult>
}

/** Requests that wait for a reply; one more is refused. */
const waitingMax = 65_535
const defaultTimeoutMs = 3000

/**
 * Request and reply over messages: the request carries an id and the client's id, the reply comes back through any broker
 * that knows this client. Source: DefaultMQProducerImpl#request, MessageUtil#createReplyMessage, 5.3.x
 */
export class RequestReply {
  readonly #instance: ClientInstance
  readonly #sender: RawSender
  readonly #waiting = new Map<string, Deferred<ReplyMessage>>()
  /** Topics whose brokers have all been told that this client is here. */
  readonly #announced = new Set<string>()

  constructor(instance: ClientInstance, sender: RawSender) {
    this.#instance = instance
    this.#sender = sender
  }

  async request(message: Message, options: SendOptions = {}): Promise<ReplyMessage> {
    checkMessage(message)
    if (this.#waiting.size >= waitingMax) {
      throw new RocketMqError('TOO_MANY_REQUESTS', `${waitingMax} requests wait for their replies`)
    }
    const timeoutMs = options.timeoutMs ?? defaultTimeoutMs
    await this.#announce(message.topic)
    const correlationId = randomUUID()
    const properties = messageProperties(message)
      .set(propertyNames.correlationId, correlationId)
      .set(propertyNames.replyToClient, this.#instance.clientId)
      .set(propertyNames.ttl, String(timeoutMs))
    const reply = deferred<ReplyMessage>()
    reply.promise.catch(() => {})
    this.#waiting.set(correlationId, reply)
    const end = this.#endOf(reply, message.topic, timeoutMs, options.signal)
    try {
      const raw = { topic: message.topic, body: messageBody(message), properties, flag: message.flag ?? 0 }
      // The reply may be quicker than the broker's answer to the request.
      await Promise.race([this.#sender.sendRaw(raw, options), reply.promise])
      return await reply.promise
    } finally {
      end()
      this.#waiting.delete(correlationId)
    }
  }

  reply(request: ReceivedMessage, body: Message['body'], options?: SendOptions): Promise<SendResult> {
    const cluster = request.property(propertyNames.cluster)
    const correlationId = request.property(propertyNames.correlationId)
    const client = request.property(propertyNames.replyToClient)
    if (cluster === undefined || correlationId === undefined || client === undefined) {
      const text =
        'only a message that was sent as a request can be replied to: it lacks CLUSTER, CORRELATION_ID or REPLY_TO_CLIENT'
      return Promise.reject(new RocketMqError('INVALID_ARGUMENT', text))
    }
    const topic = replyTopic(cluster)
    const properties = new Map([
      [propertyNames.messageType, replyMessageType],
      [propertyNames.correlationId, correlationId],
      [propertyNames.replyToClient, client],
      [propertyNames.ttl, request.property(propertyNames.ttl) ?? String(defaultTimeoutMs)],
      [propertyNames.waitStoreMsgOk, 'true'],
    ])
    const requestCode = RequestCode.SEND_REPLY_MESSAGE_V2
    return this.#sender.sendRaw(
      { topic, body: messageBody({ topic, body }), properties, flag: 0, requestCode },
      options,
    )
  }

  /** A broker brings a reply. False when nobody here waits for it. Never throws. */
  accept(command: RemotingCommand): boolean {
    try {
      const header = decodeHeader(pushReplyMessageToClient.request, command.extFields)
      const waiting = this.#waiting.get(findProperty(header.properties ?? '', propertyNames.correlationId) ?? '')
      if (waiting === undefined) return false
      waiting.resolve({
        body: decompressBody(Buffer.from(command.body ?? []), header.sysFlag),
        properties: decodeProperties(header.properties ?? ''),
        bornHost: header.bornHost,
        bornTimestamp: header.bornTimestamp,
      })
      return true
    } catch (error) {
      this.#instance.logger.warn({ err: error }, 'a reply could not be read')
      return false
    }
  }

  /** Ends all waiting. */
  close(): void {
    for (const waiting of this.#waiting.values())
      waiting.reject(new RocketMqError('INVALID_STATE', 'the producer is closed'))
  }

  /** The broker that will have the reply looks for this client among those it heard of. */
  async #announce(topic: string): Promise<void> {
    if (this.#announced.has(topic)) return
    await this.#instance.routes.refresh(withNamespace(this.#instance.options.namespace, topic))
    await this.#instance.sendHeartbeats()
    this.#announced.add(topic)
  }

  /** Rejects `reply` when time is up or the signal says so; the returned function ends that. */
  #endOf(reply: Deferred<ReplyMessage>, topic: string, timeoutMs: number, signal: AbortSignal | undefined): () => void {
    const timer: Timer = this.#instance.clock.setTimeout(() => {
      const text = `no reply to the request message to "${topic}" within ${timeoutMs} ms`
      reply.reject(new RocketMqError('REQUEST_TIMEOUT', text, { details: { topic, timeoutMs } }))
    }, timeoutMs)
    const giveUp = () => {
      reply.reject(new RocketMqError('ABORTED', `the request to "${topic}" was aborted`, { cause: signal?.reason }))
    }
    if (signal) onAbort(signal, giveUp)
    return () => {
      timer.cancel()
      if (signal) offAbort(signal, giveUp)
    }
  }
}
