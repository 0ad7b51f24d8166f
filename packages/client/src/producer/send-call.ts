import type { Message } from '@rocketmq-ts/model'
import { type RemotingCommand, RequestCode } from '@rocketmq-ts/protocol'
import { type Connection, PendingCall } from '@rocketmq-ts/remoting'
import type { RocketMqError } from '@rocketmq-ts/runtime'
import type { SendAttemptContext } from '../hooks.ts'
import type { TopicPublishInfo } from '../publish-info.ts'
import type { SendHeaderValues } from './send-frame.ts'
import type { SendLimiterClient } from './send-limiter.ts'
import type { SendResult } from './send-result.ts'
import type { QueueTarget, TopicContext } from './topic-context.ts'

/** One attempt of a send that failed, as `details.attempts` of the error tells it. */
export interface FailedAttempt {
  /** Undefined when no broker was found. */
  readonly brokerName: string | undefined
  readonly address: string | undefined
  readonly error: RocketMqError
}

/** Chooses the target of a send that may not go just anywhere, and makes one attempt. */
export interface TargetChooser {
  /** False when the target is known without a route. */
  readonly needsRoute: boolean
  /** `info` is undefined only when no route is needed. What it throws ends the send. */
  choose(info: TopicPublishInfo | undefined): QueueTarget
}

/** What moves a {@link SendCall} on. */
export interface SendDriver {
  admitted(call: SendCall): void
  answered(call: SendCall, response: RemotingCommand): void
  failed(call: SendCall, error: RocketMqError): void
  aborted(call: SendCall): void
}

/**
 * ```text
 * waiting ──► routing ⇄ sent ──► settled      waiting: in line for room; routing: route, broker or connection is looked for;
 *    └───────────┴────────┴──►                sent: on a connection; each may settle by failure, time-out or abort
 * ```
 */
export type SendState = 'waiting' | 'routing' | 'sent' | 'settled'

/**
 * One message (or batch) on its way: the only object that a send costs beside its promise. It is the pending call on the
 * connection, the waiter in the limiter's line, the entry in the timing wheel and the listener of the abort signal.
 */
export class SendCall extends PendingCall implements SendLimiterClient, SendHeaderValues {
  readonly driver: SendDriver
  readonly topic: TopicContext
  readonly body: Buffer
  readonly weight: number
  readonly properties: string
  readonly messageId: string
  readonly messages: readonly Message[]
  readonly sysFlag: number
  readonly messageFlag: number
  readonly bornTimestamp: number
  readonly isBatch: boolean
  readonly isOneway: boolean
  reconsumeTimes = 0
  maxReconsumeTimes = -1
  /** On the producer's monotonic clock. */
  deadlineMs = 0
  attemptsLeft = 1
  attempt = 0
  chooser: TargetChooser | undefined = undefined
  state: SendState = 'routing'
  target: QueueTarget | undefined = undefined
  /** Broker of the last attempt that failed, to be avoided by the next. */
  avoidedBroker: string | undefined = undefined
  connection: Connection | undefined = undefined
  address = ''
  startedMs = 0
  /** The server asked to go away, and one attempt on another connection has been made. */
  hasLeftServer = false
  /** A stored-but-not-OK result, in case no later attempt does better. */
  partial: SendResult | undefined = undefined
  failures: FailedAttempt[] | undefined = undefined
  hookContext: SendAttemptContext | undefined = undefined
  signal: AbortSignal | undefined = undefined
  resolve!: (result: SendResult | undefined) => void
  reject!: (error: unknown) => void

  constructor(
    driver: SendDriver,
    topic: TopicContext,
    messages: readonly Message[],
    body: Buffer,
    properties: string,
    messageId: string,
    sysFlag: number,
    messageFlag: number,
    bornTimestamp: number,
    isBatch: boolean,
    isOneway: boolean,
  ) {
    super()
    this.driver = driver
    this.topic = topic
    this.messages = messages
    this.body = body
    this.weight = body.length
    this.properties = properties
    this.messageId = messageId
    this.sysFlag = sysFlag
    this.messageFlag = messageFlag
    this.bornTimestamp = bornTimestamp
    this.isBatch = isBatch
    this.code = isBatch ? RequestCode.SEND_BATCH_MESSAGE : RequestCode.SEND_MESSAGE_V2
    this.isOneway = isOneway
  }

  get isWaiting(): boolean {
    return this.state === 'waiting'
  }

  onAdmitted(): void {
    this.driver.admitted(this)
  }

  override onResponse(response: RemotingCommand): void {
    this.driver.answered(this, response)
  }

  override onFailure(error: RocketMqError): void {
    this.driver.failed(this, error)
  }

  /** The listener of the abort signal. */
  handleEvent(): void {
    this.driver.aborted(this)
  }
}
