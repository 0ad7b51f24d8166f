import type { RocketMqError, TimingWheel } from '@rocketmq-ts/runtime'
import type { CallOwner, PendingCall } from './pending-call.ts'

/** The calls that wait for an answer on one connection, by their number. */
export class CallTable {
  readonly #wheel: TimingWheel
  readonly #calls = new Map<number, PendingCall>()
  #lastOpaque = 0

  constructor(wheel: TimingWheel) {
    this.#wheel = wheel
  }

  get size(): number {
    return this.#calls.size
  }

  /** A number that no waiting call has: 1 … 2^31 - 1, then from 1 again. */
  nextOpaque(): number {
    do this.#lastOpaque = this.#lastOpaque === 0x7fffffff ? 1 : this.#lastOpaque + 1
    while (this.#calls.size > 0 && this.#calls.has(this.#lastOpaque))
    return this.#lastOpaque
  }

  add(call: PendingCall, timeoutMs: number, owner: CallOwner): void {
    call.timeoutMs = timeoutMs
    call.owner = owner
    this.#calls.set(call.opaque, call)
    this.#wheel.schedule(timeoutMs, call)
  }

  /** Takes out the call that waits for the answer `opaque`. */
  take(opaque: number): PendingCall | undefined {
    const call = this.#calls.get(opaque)
    if (call !== undefined) this.remove(call)
    return call
  }

  /** False when the call isn't here any more. */
  remove(call: PendingCall): boolean {
    if (call.owner === undefined || !this.#calls.delete(call.opaque)) return false
    call.owner = undefined
    this.#wheel.cancel(call)
    return true
  }

  /** Fails all calls, including none that are added meanwhile. */
  failAll(error: RocketMqError): void {
    for (const call of [...this.#calls.values()]) if (this.remove(call)) call.onFailure(error)
  }
}
