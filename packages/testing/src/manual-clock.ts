import { type Clock, systemClock, type Timer } from '@rocketmq-ts/runtime'

interface Pending {
  atMs: number
  readonly periodMs: number | undefined
  readonly callback: () => void
}

/**
 * Time that moves only when the test says so. `setImmediate` is the real one, so that sockets work beside it; where all is
 * simulated, use `SimClock`.
 */
export class ManualClock implements Clock {
  #nowMs = 0
  readonly #epochMs: number
  readonly #pending = new Set<Pending>()

  constructor(epochMs = 1_700_000_000_000) {
    this.#epochMs = epochMs
  }

  now(): number {
    return this.#epochMs + Math.floor(this.#nowMs)
  }

  monotonic(): number {
    return this.#nowMs
  }

  /** Timers that wait. */
  get pendingCount(): number {
    return this.#pending.size
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    return this.#add({ atMs: this.#nowMs + delayMs, periodMs: undefined, callback })
  }

  setInterval(callback: () => void, periodMs: number): Timer {
    return this.#add({ atMs: this.#nowMs + periodMs, periodMs, callback })
  }

  setImmediate(callback: () => void): void {
    systemClock.setImmediate(callback)
  }

  /** Moves time on, calling what is due in order. What a callback starts asynchronously runs later. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms
    for (let next = this.#due(endMs); next !== undefined; next = this.#due(endMs)) {
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      if (next.periodMs === undefined) this.#pending.delete(next)
      else next.atMs += next.periodMs
      next.callback()
    }
    this.#nowMs = endMs
  }

  /** As if the event loop had been blocked for `ms`: timers that came due meanwhile are called once, at its end. */
  jump(ms: number): void {
    this.#nowMs += ms
    for (const pending of [...this.#pending]) {
      if (pending.atMs > this.#nowMs) continue
      if (pending.periodMs === undefined) this.#pending.delete(pending)
      else pending.atMs = this.#nowMs + pending.periodMs
      pending.callback()
    }
  }

  #due(endMs: number): Pending | undefined {
    let first: Pending | undefined
    for (const pending of this.#pending) {
      if (pending.atMs <= endMs && (first === undefined || pending.atMs < first.atMs)) first = pending
    }
    return first
  }

  #add(pending: Pending): Timer {
    this.#pending.add(pending)
    return { cancel: () => void this.#pending.delete(pending) }
  }
}
