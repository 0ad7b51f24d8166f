import type { Clock, Timer } from '@rocketmq-ts/runtime'

interface PendingTimer {
  atMs: number
  periodMs: number | undefined
  run: () => void
}

/** Time that passes only when told to; turns of the event loop are real. */
export class AdminClock implements Clock {
  nowMs = 1_700_000_000_000
  readonly #timers = new Set<PendingTimer>()

  now(): number {
    return this.nowMs
  }

  monotonic(): number {
    return this.nowMs - 1_700_000_000_000
  }

  setTimeout(run: () => void, delayMs: number): Timer {
    return this.#add({ atMs: this.nowMs + delayMs, periodMs: undefined, run })
  }

  setInterval(run: () => void, periodMs: number): Timer {
    return this.#add({ atMs: this.nowMs + periodMs, periodMs, run })
  }

  setImmediate(run: () => void): void {
    setImmediate(run)
  }

  get pendingTimers(): number {
    return this.#timers.size
  }

  /** Lets time pass, running what falls due on the way in its order. */
  advance(ms: number): void {
    const endMs = this.nowMs + ms
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined || next.atMs > endMs) break
      this.nowMs = Math.max(this.nowMs, next.atMs)
      if (next.periodMs === undefined) this.#timers.delete(next)
      else next.atMs += next.periodMs
      next.run()
    }
    this.nowMs = endMs
  }

  #add(timer: PendingTimer): Timer {
    this.#timers.add(timer)
    return { cancel: () => void this.#timers.delete(timer) }
  }
}
