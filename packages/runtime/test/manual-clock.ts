import type { Clock, Timer } from '@rocketmq-ts/runtime'

interface ManualTimer {
  atMs: number
  periodMs: number | undefined
  callback: () => void
}

/** Time that passes only when told to. `setImmediate` is real, so that sockets and turns go on. */
export class ManualClock implements Clock {
  #nowMs = 0
  readonly #timers = new Set<ManualTimer>()

  now(): number {
    return 1_700_000_000_000 + this.#nowMs
  }

  monotonic(): number {
    return this.#nowMs
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    return this.#add({ atMs: this.#nowMs + delayMs, periodMs: undefined, callback })
  }

  setInterval(callback: () => void, periodMs: number): Timer {
    return this.#add({ atMs: this.#nowMs + periodMs, periodMs, callback })
  }

  setImmediate(callback: () => void): void {
    setImmediate(callback)
  }

  get timers(): number {
    return this.#timers.size
  }

  /** Lets `ms` pass, calling what comes due on the way in order. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms
    for (;;) {
      let next: ManualTimer | undefined
      for (const timer of this.#timers) if (next === undefined || timer.atMs < next.atMs) next = timer
      if (next === undefined || next.atMs > endMs) break
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      if (next.periodMs === undefined) this.#timers.delete(next)
      else next.atMs += next.periodMs
      next.callback()
    }
    this.#nowMs = endMs
  }

  /** As if the event loop had been blocked for `ms`: timers that came due meanwhile are called once, at its end. */
  jump(ms: number): void {
    this.#nowMs += ms
    for (const timer of [...this.#timers]) {
      if (timer.atMs > this.#nowMs) continue
      if (timer.periodMs === undefined) this.#timers.delete(timer)
      else timer.atMs = this.#nowMs + timer.periodMs
      timer.callback()
    }
  }

  #add(timer: ManualTimer): Timer {
    this.#timers.add(timer)
    return { cancel: () => void this.#timers.delete(timer) }
  }
}
