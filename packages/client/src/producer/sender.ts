import { vipAddress } from '@rocketmq-ts/model'
import { encodeFrameHead, type RemotingCommand, ResponseCode } from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'
import { type Clock, type Logger, offAbort, onAbort, RocketMqError, TimingWheel } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'
import type { TopicPublishInfo } from '../publish-info.ts'
import { requestHooksOf } from '../request-hooks.ts'
import type { DefaultTopic, RouteTable } from '../route-table.ts'
import type { LatencyFaults } from './latency-faults.ts'
import type { ResolvedProducerOptions } from './producer-options.ts'
import { nextHealthyTarget, nextTarget } from './queue-selection.ts'
import type { SendCall, SendDriver } from './send-call.ts'
import { abortedSend, brokerNotFound, refusedSend, sendFailure, timedOut, tooManyRequests } from './send-errors.ts'
import { encodeSendHead, sendCommand } from './send-frame.ts'
import { SendHooks } from './send-hooks.ts'
import { SendLimiter } from './send-limiter.ts'
import { type SendResult, sendResultOf, sendStatusOf } from './send-result.ts'
import { headerStartOf, type QueueTarget } from './topic-context.ts'

/** A failed broker makes the route be asked for again, at most this often. */
const refreshPeriodMs = 1000

/**
 * Moves sends from their first attempt to their end. Budget per message on the fast path (route, address and connection
 * known): the call object, the head's text and the answer; no closure, timer or promise.
 * Source: DefaultMQProducerImpl#sendDefaultImpl, sendKernelImpl, 5.3.x
 */
export class Sender implements SendDriver {
  readonly #instance: ClientInstance
  readonly #options: ResolvedProducerOptions
  readonly #routes: RouteTable
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #wheel: TimingWheel
  readonly #limiter: SendLimiter
  readonly #faults: LatencyFaults
  readonly #hooks: SendHooks | undefined
  readonly #requestHooks: ReturnType<typeof requestHooksOf>
  readonly #fallback: DefaultTopic
  #pending = 0
  #onDrained: (() => void) | undefined
  #refreshedAtMs = Number.NEGATIVE_INFINITY

  constructor(instance: ClientInstance, options: ResolvedProducerOptions, faults: LatencyFaults) {
    this.#instance = instance
    this.#options = options
    this.#routes = instance.routes
    this.#clock = instance.clock
    this.#logger = instance.logger
    this.#wheel = new TimingWheel(instance.clock, { tickMs: 20 })
    this.#limiter = new SendLimiter({
      messagesMax: options.inFlightMessagesMax,
      bytesMax: options.inFlightBytesMax,
      waitingMax: options.waitingMessagesMax,
    })
    this.#faults = faults
    this.#hooks = options.hooks.length > 0 ? new SendHooks(options.hooks, instance.logger) : undefined
    this.#requestHooks = requestHooksOf(options.client)
    this.#fallback = { topic: options.createTopicKey, queueNums: options.defaultTopicQueueNums }
  }

  /** Messages that are neither answered nor given up. */
  get pendingCount(): number {
    return this.#pending
  }

  get limiter(): SendLimiter {
    return this.#limiter
  }

  /** Starts a send whose fields are set. Its promise hears the outcome; nothing is thrown. */
  begin(call: SendCall, timeoutMs: number): void {
    this.#pending++
    call.deadlineMs = this.#clock.monotonic() + timeoutMs
    if (call.signal !== undefined) {
      if (call.signal.aborted) {
        this.#settleUnsent(call, abortedSend(call))
        return
      }
      onAbort(call.signal, call)
    }
    if (this.#limiter.tryAcquire(call.weight)) {
      this.#attempt(call)
      return
    }
    try {
      this.#limiter.wait(call)
    } catch (error) {
      this.#settleUnsent(call, error)
      return
    }
    call.state = 'waiting'
    this.#watch(call, timeoutMs)
  }

  /** Resolves when no send is pending. */
  drained(): Promise<void> {
    if (this.#pending === 0) return Promise.resolve()
    return new Promise(resolve => {
      this.#onDrained = resolve
    })
  }

  /** Drops what the wheel holds; after {@link drained}. */
  close(): void {
    this.#wheel.clear()
  }

  admitted(call: SendCall): void {
    this.#unwatch(call)
    call.state = 'routing'
    this.#attempt(call)
  }

  /** A slow phase took too long. Called by the wheel through the call's owner. */
  expireCall(call: unknown): void {
    const send = call as SendCall
    send.owner = undefined
    if (send.state === 'waiting') {
      send.state = 'settled'
      this.#limiter.leave()
      this.#settleUnsent(send, tooManyRequests(send, this.#limiter))
    } else if (send.state === 'routing') this.#giveUp(send, timedOut(send))
  }

  cancelCall(): boolean {
    return false
  }

  aborted(call: SendCall): void {
    if (call.state === 'settled') return
    if (call.state === 'waiting') {
      this.#unwatch(call)
      call.state = 'settled'
      this.#limiter.leave()
      this.#settleUnsent(call, abortedSend(call))
      return
    }
    if (call.state === 'sent') call.cancel()
    else this.#unwatch(call)
    this.#settle(call, undefined, abortedSend(call))
  }

  // --- one attempt

  #attempt(call: SendCall): void {
    const leftMs = call.deadlineMs - this.#clock.monotonic()
    if (leftMs <= 0) {
      this.#giveUp(call, timedOut(call))
      return
    }
    const info = this.#routes.cachedPublishInfo(call.topic.topic)
    if (info === undefined && (call.chooser === undefined || call.chooser.needsRoute)) {
      this.#findRoute(call, leftMs)
      return
    }
    let target: QueueTarget
    try {
      target = call.chooser === undefined ? this.#choose(call, info as TopicPublishInfo) : call.chooser.choose(info)
    } catch (error) {
      this.#settle(call, undefined, error)
      return
    }
    call.target = target
    call.attempt++
    call.attemptsLeft--
    this.#dispatch(call, target, leftMs, false)
  }

  #choose(call: SendCall, info: TopicPublishInfo): QueueTarget {
    const targets = call.topic.targets(info)
    return this.#options.sendLatencyFaultEnable
      ? nextHealthyTarget(info, targets, call.avoidedBroker, this.#faults, this.#clock.monotonic())
      : nextTarget(info, targets, call.avoidedBroker)
  }

  #dispatch(call: SendCall, target: QueueTarget, leftMs: number, isRefreshed: boolean): void {
    const endpoint = this.#routes.brokers.master(target.brokerName)
    if (endpoint === undefined) {
      if (isRefreshed) this.failed(call, brokerNotFound(target.brokerName, call.topic.userTopic))
      else this.#refreshThenDispatch(call, target, leftMs)
      return
    }
    const address = this.#options.client.vipChannel ? vipAddress(endpoint.address) : endpoint.address
    call.address = address
    const connection = this.#instance.rpc.connectionTo(address)
    if (connection === undefined) this.#connect(call, target, leftMs)
    else this.#write(call, target, connection, leftMs)
  }

  #write(call: SendCall, target: QueueTarget, connection: Connection, leftMs: number): void {
    const { attemptTimeoutMs } = this.#options
    const timeoutMs = attemptTimeoutMs > 0 && call.attemptsLeft > 0 ? Math.min(leftMs, attemptTimeoutMs) : leftMs
    call.startedMs = call.deadlineMs - leftMs
    try {
      if (this.#hooks !== undefined)
        this.#hooks.before(call, target, this.#options.group, this.#instance, this.#clock.now())
    } catch (error) {
      this.#settle(call, undefined, error)
      return
    }
    try {
      call.opaque = connection.nextOpaque()
      const head =
        this.#requestHooks.length === 0
          ? encodeSendHead(headerStartOf(target, call.code), call, call.body.length)
          : this.#signedHead(call, target)
      call.connection = connection
      if (call.isOneway) {
        connection.writeParts(head, [call.body])
        this.#hooks?.after(call, undefined, undefined)
        this.#settle(call, undefined, undefined)
      } else {
        call.state = 'sent'
        connection.callRaw(call, head, call.body, timeoutMs)
      }
    } catch (error) {
      call.state = 'routing'
      this.failed(call, asRocketMqError(error))
    }
  }

  #signedHead(call: SendCall, target: QueueTarget): Buffer {
    const command = sendCommand(target.header, call, call.body)
    for (const hook of this.#requestHooks) hook.beforeRequest?.(call.address, command)
    return encodeFrameHead(command, call.body.length)
  }

  // --- slow ways to the connection

  #findRoute(call: SendCall, leftMs: number): void {
    this.#watch(call, leftMs)
    this.#routes.publishInfo(call.topic.topic, this.#fallback).then(
      () => this.#resume(call) && this.#attempt(call),
      error => this.#resume(call) && this.#settle(call, undefined, error),
    )
  }

  #refreshThenDispatch(call: SendCall, target: QueueTarget, leftMs: number): void {
    this.#watch(call, leftMs)
    this.#routes.refresh(call.topic.topic).then(() => {
      if (this.#resume(call)) this.#dispatch(call, target, this.#left(call), true)
    })
  }

  #connect(call: SendCall, target: QueueTarget, leftMs: number): void {
    this.#watch(call, leftMs)
    this.#instance.rpc.connect(call.address).then(
      connection => {
        if (this.#resume(call)) this.#write(call, target, connection, this.#left(call))
      },
      error => this.#resume(call) && this.failed(call, asRocketMqError(error)),
    )
  }

  #left(call: SendCall): number {
    return Math.max(1, call.deadlineMs - this.#clock.monotonic())
  }

  #watch(call: SendCall, leftMs: number): void {
    call.owner = this
    this.#wheel.schedule(leftMs, call)
  }

  #unwatch(call: SendCall): void {
    this.#wheel.cancel(call)
    call.owner = undefined
  }

  /** False when the call was settled while a slow step went on. */
  #resume(call: SendCall): boolean {
    if (call.state !== 'routing') return false
    this.#unwatch(call)
    return true
  }

  // --- outcomes

  answered(call: SendCall, response: RemotingCommand): void {
    const target = call.target as QueueTarget
    call.state = 'routing'
    const status = sendStatusOf(response.code)
    if (status === undefined) {
      this.#refused(call, response)
      return
    }
    let result: SendResult
    try {
      result = sendResultOf(status, response, call.messageId, target.queue)
    } catch (error) {
      this.failed(call, asRocketMqError(error))
      return
    }
    if (this.#options.sendLatencyFaultEnable) this.#note(call, false, true)
    this.#hooks?.after(call, result, undefined)
    if (call.topic.isBorrowed) this.#refreshSoon(call)
    if (status !== 'SEND_OK' && this.#options.retryAnotherBrokerWhenNotStoreOk && call.attemptsLeft > 0) {
      call.partial = result
      call.avoidedBroker = target.brokerName
      this.#attempt(call)
      return
    }
    this.#settle(call, result, undefined)
  }

  #refused(call: SendCall, response: RemotingCommand): void {
    if (response.code === ResponseCode.GO_AWAY && !call.hasLeftServer && call.connection !== undefined) {
      call.hasLeftServer = true
      this.#instance.rpc.leave(call.address, call.connection)
      this.#dispatch(call, call.target as QueueTarget, this.#left(call), true)
      return
    }
    const error = refusedSend(call, response)
    if (this.#options.sendLatencyFaultEnable) this.#note(call, true, false)
    this.#hooks?.after(call, undefined, error)
    if (this.#options.retryResponseCodes.has(response.code)) this.#retryOrEnd(call, error)
    else if (call.partial !== undefined) this.#settle(call, call.partial, undefined)
    else this.#settle(call, undefined, error)
  }

  /** The attempt failed on the way: no connection, connection lost, no answer in time. */
  failed(call: SendCall, error: RocketMqError): void {
    call.state = 'routing'
    if (this.#options.sendLatencyFaultEnable) this.#note(call, true, !this.#options.startDetectorEnable)
    this.#hooks?.after(call, undefined, error)
    if (error.code === 'CONNECT_FAILED' || error.code === 'CONNECTION_CLOSED') this.#refreshSoon(call)
    if (error.code === 'FRAME_TOO_LARGE' || error.code === 'INVALID_STATE') this.#settle(call, undefined, error)
    else this.#retryOrEnd(call, error)
  }

  #retryOrEnd(call: SendCall, error: RocketMqError): void {
    const brokerName = call.target?.brokerName
    call.failures ??= []
    call.failures.push({ brokerName, address: call.address || undefined, error })
    call.avoidedBroker = brokerName
    if (call.attemptsLeft > 0) this.#attempt(call)
    else this.#giveUp(call, error)
  }

  /** No attempt is left, or no time. */
  #giveUp(call: SendCall, error: RocketMqError): void {
    if (call.partial !== undefined) this.#settle(call, call.partial, undefined)
    else this.#settle(call, undefined, sendFailure(call, error))
  }

  #note(call: SendCall, isIsolated: boolean, isReachable: boolean): void {
    const nowMs = this.#clock.monotonic()
    if (call.target) this.#faults.note(call.target.brokerName, nowMs - call.startedMs, isIsolated, isReachable, nowMs)
  }

  #refreshSoon(call: SendCall): void {
    const nowMs = this.#clock.monotonic()
    if (nowMs - this.#refreshedAtMs < refreshPeriodMs) return
    this.#refreshedAtMs = nowMs
    void this.#routes.refresh(call.topic.topic)
  }

  #settle(call: SendCall, result: SendResult | undefined, error: unknown): void {
    this.#limiter.release(call.weight)
    this.#settleUnsent(call, error, result)
  }

  /** The end of a call that has taken no room, or has given it back. */
  #settleUnsent(call: SendCall, error: unknown, result?: SendResult): void {
    call.state = 'settled'
    if (call.signal !== undefined) offAbort(call.signal, call)
    if (error === undefined) call.resolve(result)
    else {
      this.#logger.debug({ topic: call.topic.userTopic, messageId: call.messageId, err: error }, 'send failed')
      call.reject(error)
    }
    if (--this.#pending === 0 && this.#onDrained !== undefined) this.#onDrained()
  }
}

function asRocketMqError(error: unknown): RocketMqError {
  if (RocketMqError.is(error)) return error
  return new RocketMqError('CONNECTION_CLOSED', error instanceof Error ? error.message : String(error), {
    cause: error,
  })
}
