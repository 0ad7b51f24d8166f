import { assert, type TimingWheel } from '@rocketmq-ts/runtime'
import type { CallOwner, PendingCall } from './pending-call.ts'

const FIRST_SLOTS = 64

/**
 * The calls that wait for an answer on one connection, by their number. Numbers go up, so a call's slot is its number
 * modulo the table's size; a number whose slot is taken is not given out.
 *
 * ```text
 * slots, a power of two, at most half full:   [ 128 |  - |  66 |  - |  - | 69 | …  ]    next number: 129
 * ```
 *
 * Not a `Map`: with a hundred thousand calls a second it is rebuilt a hundred times a second, and each discarded table,
 * being old, keeps the calls it once held alive until the next full garbage collection.
 */
export class CallTable {
  readonly #wheel: TimingWheel
  #slots: (PendingCall | undefined)[] = emptySlots(FIRST_SLOTS)
  #mask = FIRST_SLOTS - 1
  #size = 0
  #lastOpaque = 0

  constructor(wheel: TimingWheel) {
    this.#wheel = wheel
  }

  get size(): number {
    return this.#size
  }

  /** A number that no waiting call has: 1 … 2^31 - 1, then from 1 again. */
  nextOpaque(): number {
    do this.#lastOpaque = this.#lastOpaque === 0x7fffffff ? 1 : this.#lastOpaque + 1
    while (this.#slots[this.#lastOpaque & this.#mask] !== undefined)
    return this.#lastOpaque
  }

  add(call: PendingCall, timeoutMs: number, owner: CallOwner): void {
    call.timeoutMs = timeoutMs
    call.owner = owner
    while (this.#size * 2 >= this.#slots.length || this.#slots[call.opaque & this.#mask] !== undefined) {
      assert(this.#slots[call.opaque & this.#mask]?.opaque !== call.opaque, 'a number belongs to one waiting call')
      this.#grow()
    }
    this.#slots[call.opaque & this.#mask] = call
    this.#size++
    this.#wheel.schedule(timeoutMs, call)
  }

  /** Takes out the call that waits for the answer `opaque`. */
  take(opaque: number): PendingCall | undefined {
    const call = this.#slots[opaque & this.#mask]
    if (call === undefined || call.opaque !== opaque) return undefined
    this.remove(call)
    return call
  }

  /** False when the call isn't here any more. */
  remove(call: PendingCall): boolean {
    const slot = call.opaque & this.#mask
    if (call.owner === undefined || this.#slots[slot] !== call) return false
    this.#slots[slot] = undefined
    this.#size--
    call.owner = undefined
    this.#wheel.cancel(call)
    return true
  }

  /** Takes out all calls. */
  takeAll(): PendingCall[] {
    return this.#slots.filter(call => call !== undefined && this.remove(call)) as PendingCall[]
  }

  /** Numbers in different slots stay in different slots when there are twice as many. */
  #grow(): void {
    const slots = emptySlots(this.#slots.length * 2)
    const mask = slots.length - 1
    for (const call of this.#slots) if (call !== undefined) slots[call.opaque & mask] = call
    this.#slots = slots
    this.#mask = mask
  }
}

function emptySlots(count: number): (PendingCall | undefined)[] {
  return new Array<PendingCall | undefined>(count).fill(undefined)
}
