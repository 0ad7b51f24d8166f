import type { Host } from '@rocketmq-ts/model'
import { encodeFrame, encodeFrameHead, type RemotingCommand } from '@rocketmq-ts/protocol'
import { assert, deferred, type RocketMqError, type Socket, TimingWheelEntry } from '@rocketmq-ts/runtime'
import type { PeerAddresses } from './address.ts'
import { CallTable } from './call-table.ts'
import type { ConnectionContext } from './connection-context.ts'
import { abortedError, closedError, crowdedError, timeoutError } from './connection-errors.ts'
import { type ConnectionEvent, type ConnectionState, nextConnectionState } from './connection-state.ts'
import { FrameIntake, type FrameIntakeOwner } from './frame-intake.ts'
import type { InFlightWaiter } from './in-flight.ts'
import { type CallOwner, type PendingCall, PromiseCall } from './pending-call.ts'
import { Transmitter, type TransmitterOwner } from './transmitter.ts'

const ONEWAY_FLAG = 2
/** How long a closing connection may take to get rid of what is queued. */
const DRAIN_TIMEOUT_MS = 3_000

let lastConnectionId = 0

/**
 * One connection, at either end: frames in, frames out, and calls of ours that wait for their answers. It reads only
 * while it is `open` (see {@link ConnectionState}), and writes once per turn of the event loop.
 *
 * Budget per frame in: the decoded command. Per small frame out: one copy (none with {@link Connection.reserve}). Per
 * chunk in: one clock reading. Per turn: one system call.
 */
export class Connection implements CallOwner, InFlightWaiter, FrameIntakeOwner, TransmitterOwner {
  /** Counts up from 1 in a process. */
  readonly id: number = ++lastConnectionId
  /** `ip:port` of the peer; behind a PROXY header, of the peer's client. */
  readonly remoteAddress: string
  /** The socket's peer: what is stored as a message's born host. */
  readonly remoteHost: Host
  readonly localAddress: string
  /** For those who handle requests: client id, heartbeat, PROXY protocol facts … Gone with the connection. */
  readonly attributes = new Map<string, unknown>()
  /** Resolves when the socket is gone. */
  readonly closed: Promise<void>

  readonly #context: ConnectionContext
  readonly #socket: Socket
  readonly #in: FrameIntake
  readonly #out: Transmitter
  readonly #calls: CallTable
  readonly #closed = deferred()
  readonly #closeListeners: ((connection: Connection) => void)[] = []
  readonly #idle: ConnectionTimer
  #state: ConnectionState = 'open'
  #closeReason = 'closed by the peer'
  #doneReason: string | undefined
  #inFlightBytes = 0
  #readMark = 0
  #lastActiveMs: number

  /** @internal Made by {@link RpcServer} and {@link RpcClient}. Owns `socket` from here on. */
  constructor(context: ConnectionContext, socket: Socket, addresses: PeerAddresses) {
    this.#context = context
    this.#socket = socket
    this.remoteAddress = addresses.remoteAddress
    this.remoteHost = addresses.remoteHost
    this.localAddress = addresses.localAddress
    this.closed = this.#closed.promise
    this.#in = new FrameIntake(context.limits.frameLimitBytes, context.account, this)
    this.#out = new Transmitter(socket, context.flusher, this)
    this.#calls = new CallTable(context.wheel)
    this.#lastActiveMs = context.clock.monotonic()
    this.#idle = new ConnectionTimer(() => this.#checkIdle())
    context.wheel.schedule(context.limits.idleTimeoutMs, this.#idle)
    socket.on('data', (chunk: Buffer) => this.receive(chunk))
    socket.on('error', (error: Error) => {
      this.#closeReason = error.message
    })
    socket.on('close', () => this.#onSocketClose())
  }

  get state(): ConnectionState {
    return this.#state
  }

  /** True while frames can be sent: neither closing nor closed. */
  get isUsable(): boolean {
    return this.#state === 'open' || this.#state === 'congested'
  }

  /** Why the connection is closing or closed; meaningless before. */
  get closeReason(): string {
    return this.#closeReason
  }

  /** Bytes that wait to be sent, here and in the socket. */
  get outgoingBytes(): number {
    return this.#out.unsentBytes
  }

  /** Bytes of requests of this peer that are being handled, see {@link Connection.addInFlight}. */
  get inFlightBytes(): number {
    return this.#inFlightBytes
  }

  /** Calls of ours that wait for an answer. */
  get pendingCalls(): number {
    return this.#calls.size
  }

  /** Calls `listener` once when the socket is gone; at once when it is gone already. */
  onClose(listener: (connection: Connection) => void): void {
    if (this.#state === 'closed') listener(this)
    else this.#closeListeners.push(listener)
  }

  // --- out

  /** Queues a whole frame for the end of this turn. Dropped silently when the connection is closing. */
  writeFrame(bytes: Buffer): void {
    if (this.isUsable) this.#out.append(bytes)
  }

  /** The same for a frame in parts. Parts of 4 KiB and more go out by reference and must not change any more. */
  writeParts(head: Buffer, parts: readonly Buffer[]): void {
    if (this.isUsable) this.#out.appendParts(head, parts)
  }

  /**
   * Memory for a frame of at most `maxBytes` (up to 64 KiB) in the outgoing queue itself, for hand-written encoders:
   * write from {@link Connection.reservedOffset}, then {@link Connection.commit}; nothing else on this connection in
   * between.
   */
  reserve(maxBytes: number): Buffer {
    return this.#out.reserve(maxBytes)
  }

  /** Where the frame in the reserved memory begins. */
  get reservedOffset(): number {
    return this.#out.offset
  }

  /** Queues the frame in the reserved memory, which ends before `endOffset`. */
  commit(endOffset: number): void {
    if (this.isUsable) this.#out.commit(endOffset)
  }

  /** Answers a request: encodes `response` and queues it. Nothing happens when `request` is oneway. */
  respond(request: RemotingCommand, response: RemotingCommand, parts?: readonly Buffer[]): void {
    if (request.isOneway) return
    if (parts === undefined) {
      this.writeFrame(encodeFrame(response))
      return
    }
    let bodyBytes = 0
    for (const part of parts) bodyBytes += part.length
    this.writeParts(encodeFrameHead(response, bodyBytes), parts)
  }

  /** Sends `command` as a oneway request and forgets it. Throws as {@link Connection.callRaw} does. */
  sendOneway(command: RemotingCommand): void {
    this.#checkWritable()
    command.opaque = this.#calls.nextOpaque()
    command.flag |= ONEWAY_FLAG
    this.writeFrame(encodeFrame(command))
  }

  // --- calls of ours

  /** A number for the next {@link Connection.callRaw}. */
  nextOpaque(): number {
    return this.#calls.nextOpaque()
  }

  /**
   * The fast form of a call: `head` is an encoded frame (or its head, with the body following) that carries
   * `call.opaque`. Throws `CONNECTION_CLOSED`, or `TOO_MANY_REQUESTS` when too many calls wait or too many bytes are
   * unsent; then the call has not begun. Otherwise `call` hears the outcome.
   */
  callRaw(call: PendingCall, head: Buffer, body: Buffer | undefined, timeoutMs: number): void {
    this.#checkWritable()
    if (this.#calls.size >= this.#context.limits.callsMax) {
      throw crowdedError(this.remoteAddress, `${this.#calls.size} calls wait for answers`)
    }
    call.readMark = this.#readMark
    this.#calls.add(call, timeoutMs, this)
    this.#out.append(head, body)
  }

  /**
   * Sends a request (its opaque is set here) and resolves with the answer, whatever its code; the answer's body is
   * borrowed. Rejects with `REQUEST_TIMEOUT`, `CONNECTION_CLOSED`, `TOO_MANY_REQUESTS`, `FRAME_TOO_LARGE` or `ABORTED`.
   */
  async call(command: RemotingCommand, timeoutMs: number, signal?: AbortSignal): Promise<RemotingCommand> {
    if (signal?.aborted) throw abortedError(command.code, signal)
    command.opaque = this.#calls.nextOpaque()
    const body = command.body
    const head = encodeFrameHead(command, body === undefined ? 0 : body.length)
    const call = new PromiseCall(signal)
    call.opaque = command.opaque
    call.code = command.code
    try {
      this.callRaw(call, head, body, timeoutMs)
    } catch (error) {
      call.release()
      throw error
    }
    return call.promise
  }

  /** @internal */
  expireCall(call: PendingCall): void {
    if (!this.#calls.remove(call)) return
    // Nothing at all came in since the call went out: the peer or the way to it may be dead, and a write alone would
    // not tell for minutes. A peer that answers others keeps its connection.
    const silent = this.#context.role === 'client' && call.readMark === this.#readMark
    this.#fail(call, timeoutError(this.remoteAddress, call))
    if (silent) this.close('no answer to a call, and nothing else received since')
    else this.#closeIfDone()
  }

  /** @internal */
  cancelCall(call: PendingCall): boolean {
    const removed = this.#calls.remove(call)
    if (removed) this.#closeIfDone()
    return removed
  }

  // --- requests in flight

  /**
   * A request of `bytes` is kept beyond this turn. The router does this for promise handlers; a raw handler that parks
   * requests does it itself, and must call {@link Connection.removeInFlight} once for each.
   */
  addInFlight(bytes: number): void {
    this.#inFlightBytes += bytes
    const account = this.#context.account
    account.add(bytes)
    if (this.#inFlightBytes > this.#context.limits.inFlightLimitBytes || account.isFull) this.#congest()
  }

  /** The request has been answered or given up. */
  removeInFlight(bytes: number): void {
    this.#inFlightBytes -= bytes
    assert(this.#inFlightBytes >= 0, 'more requests finished than begun')
    this.#context.account.remove(bytes)
    if (this.#state === 'congested') this.#relieve()
  }

  /** @internal */
  onInFlightRelief(): void {
    this.#relieve()
  }

  // --- closing

  /** Sends what is queued, then closes. Calls that wait fail at once with `CONNECTION_CLOSED`. Idempotent. */
  close(reason = 'closed by us'): void {
    if (this.#state === 'draining' || this.#state === 'closed') return
    this.#move('close', reason)
    this.#out.flush()
    this.#failCalls()
    this.#socket.end()
    this.#socket.resume()
    this.#context.wheel.cancel(this.#idle)
    this.#context.wheel.schedule(DRAIN_TIMEOUT_MS, this.#idle)
  }

  /** Closes when all calls that wait have been settled. New calls are still accepted. */
  closeWhenDone(reason: string): void {
    this.#doneReason = reason
    this.#closeIfDone()
  }

  /** Closes without sending what is queued. */
  destroy(reason: string): void {
    if (this.#state === 'closed') return
    if (this.#state !== 'draining') this.#closeReason = reason
    this.#out.clear()
    this.#socket.destroy()
  }

  // --- in

  /** @internal A chunk from the socket. */
  receive(chunk: Buffer): void {
    if (this.#state === 'draining' || this.#state === 'closed') return
    this.#lastActiveMs = this.#context.clock.monotonic()
    this.#readMark++
    this.#in.push(chunk)
  }

  /** @internal */
  get isReading(): boolean {
    return this.#state === 'open'
  }

  /** @internal */
  onFrame(command: RemotingCommand, frameBytes: number): void {
    if (!command.isResponse) {
      this.#context.router.dispatch(command, this, frameBytes)
      return
    }
    const call = this.#calls.take(command.opaque)
    if (call === undefined) return
    try {
      call.onResponse(command)
    } catch (error) {
      this.#context.logger.error({ error, requestCode: call.code }, 'a response handler failed')
    }
    if (this.#doneReason !== undefined) this.#closeIfDone()
  }

  /** @internal */
  onBrokenStream(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.#context.repeatedLog.warn(
      'broken stream',
      { remoteAddress: this.remoteAddress, reason },
      'connection closed: not our protocol',
    )
    this.destroy(reason)
  }

  // --- state

  #checkWritable(): void {
    if (!this.isUsable) throw closedError(this.remoteAddress, this.#closeReason)
    if (this.outgoingBytes > this.#context.limits.outgoingLimitBytes) {
      throw crowdedError(this.remoteAddress, `${this.outgoingBytes} bytes are still unsent`)
    }
  }

  /** @internal */
  onQueued(): void {
    const { outgoingLimitBytes, outgoingCloseBytes } = this.#context.limits
    const outgoing = this.outgoingBytes
    if (outgoing <= outgoingLimitBytes) return
    if (outgoing > outgoingCloseBytes) {
      const { remoteAddress } = this
      this.#context.repeatedLog.warn('slow', { remoteAddress, outgoing }, 'connection closed: the peer does not read')
      this.destroy(`${outgoing} bytes unsent: the peer does not read`)
    } else if (this.#context.role === 'server') this.#congest()
  }

  /** @internal */
  onDrained(): void {
    this.#lastActiveMs = this.#context.clock.monotonic()
    if (this.#state === 'congested') this.#relieve()
  }

  #congest(): void {
    if (this.#state !== 'open') return
    this.#move('congest')
    if (this.#context.account.isFull) this.#context.account.wait(this)
    this.#socket.pause()
  }

  #relieve(): void {
    const { outgoingLimitBytes, inFlightLimitBytes } = this.#context.limits
    const { account } = this.#context
    if (this.outgoingBytes > outgoingLimitBytes / 2 || this.#inFlightBytes > inFlightLimitBytes / 2) return
    if (account.isFull) {
      account.wait(this)
      return
    }
    if (this.#state !== 'congested') return
    this.#move('relieve')
    this.#socket.resume()
    this.#in.pump()
  }

  #move(event: ConnectionEvent, reason?: string): void {
    const state = nextConnectionState(this.#state, event)
    if (state === this.#state) return
    if (reason !== undefined) this.#closeReason = reason
    this.#context.logger.debug(
      { connection: this.id, remoteAddress: this.remoteAddress, from: this.#state, to: state, reason },
      'connection state',
    )
    this.#state = state
  }

  #checkIdle(): void {
    if (this.#state === 'draining') {
      this.destroy('closing took too long')
      return
    }
    const { idleTimeoutMs } = this.#context.limits
    const idleMs = this.#context.clock.monotonic() - this.#lastActiveMs
    if (idleMs < idleTimeoutMs) this.#context.wheel.schedule(idleTimeoutMs - idleMs, this.#idle)
    // Whoever has not read for so long will not read the rest either.
    else this.destroy(`idle for ${Math.round(idleMs)} ms`)
  }

  #onSocketClose(): void {
    if (this.#state === 'closed') return
    this.#move('lost')
    const { account, wheel } = this.#context
    wheel.cancel(this.#idle)
    account.forget(this)
    this.#in.release()
    this.#out.clear()
    this.#failCalls()
    for (const listener of this.#closeListeners.splice(0)) this.#notify(listener)
    this.#closed.resolve()
  }

  #notify(listener: (connection: Connection) => void): void {
    try {
      listener(this)
    } catch (error) {
      this.#context.logger.error({ error, connection: this.id }, 'a close listener failed')
    }
  }

  #failCalls(): void {
    if (this.#calls.size === 0) return
    const error = closedError(this.remoteAddress, this.#closeReason)
    for (const call of this.#calls.takeAll()) this.#fail(call, error)
  }

  #fail(call: PendingCall, reason: RocketMqError): void {
    try {
      call.onFailure(reason)
    } catch (error) {
      this.#context.logger.error({ error, requestCode: call.code }, 'a failure handler failed')
    }
  }

  #closeIfDone(): void {
    if (this.#doneReason !== undefined && this.#calls.size === 0) this.close(this.#doneReason)
  }
}

/** The connection's one timer: idleness while it lives, patience while it closes. */
class ConnectionTimer extends TimingWheelEntry {
  readonly #callback: () => void

  constructor(callback: () => void) {
    super()
    this.#callback = callback
  }

  override onTimeout(): void {
    this.#callback()
  }
}
