import type { RemotingCommand } from '@rocketmq-ts/protocol'
import { offAbort, onAbort, type RocketMqError, TimingWheelEntry } from '@rocketmq-ts/runtime'
import { abortedError } from './connection-errors.ts'

/** What a {@link PendingCall} needs of the connection it travels on. */
export interface CallOwner {
  /** The call's time is up. */
  expireCall(call: PendingCall): void
  /** Forgets the call. False when it has been settled already. */
  cancelCall(call: PendingCall): boolean
}

/**
 * A request that waits for its answer: the one object that a call costs. Hot callers extend it with what they need to
 * know when the answer comes. Exactly one of {@link PendingCall.onResponse} and {@link PendingCall.onFailure} is called,
 * once, unless the call is cancelled. Neither may throw.
 */
export abstract class PendingCall extends TimingWheelEntry {
  /** Number of the request on its connection; set from `connection.nextOpaque()` before the frame is encoded. */
  opaque = 0
  /** Request code, for messages. */
  code = 0
  timeoutMs = 0
  /** @internal The connection while the call waits. */
  owner: CallOwner | undefined = undefined
  /** @internal Chunks that the connection had read when the call went out. */
  readMark = 0

  /** The answer, whatever its code. Its body is borrowed. */
  abstract onResponse(response: RemotingCommand): void

  /** `REQUEST_TIMEOUT` or `CONNECTION_CLOSED`. */
  abstract onFailure(error: RocketMqError): void

  override onTimeout(): void {
    this.owner?.expireCall(this)
  }

  /** Forgets the call: neither method is called any more. False when it has been settled already. */
  cancel(): boolean {
    return this.owner?.cancelCall(this) ?? false
  }
}

/** A call as a promise. */
export class PromiseCall extends PendingCall {
  readonly promise: Promise<RemotingCommand>
  readonly #signal: AbortSignal | undefined
  #resolve!: (response: RemotingCommand) => void
  #reject!: (error: unknown) => void
  readonly #onAbort: () => void

  constructor(signal?: AbortSignal) {
    super()
    this.#signal = signal
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#onAbort = () => {
      if (this.cancel()) this.#reject(abortedError(this.code, signal))
    }
    if (signal) onAbort(signal, this.#onAbort)
  }

  override onResponse(response: RemotingCommand): void {
    this.release()
    this.#resolve(response)
  }

  override onFailure(error: RocketMqError): void {
    this.release()
    this.#reject(error)
  }

  /** Takes the listener off the signal. */
  release(): void {
    if (this.#signal) offAbort(this.#signal, this.#onAbort)
  }
}
