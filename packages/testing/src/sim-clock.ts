import { type Clock, systemClock, type Timer } from '@rocketmq-ts/runtime'

interface SimTimer {
  atMs: number
  readonly sequence: number
  readonly periodMs: number | undefined
  readonly callback: () => void
}

/** Time that stands still until it is told to go on; timers fire in order of their time, equal ones in order of their making. */
export class SimClock implements Clock {
  #nowMs: number
  readonly #startMs: number
  #sequence = 0
  #timers: SimTimer[] = []
  #immediates: (() => void)[] = []

  constructor(startMs = 1_700_000_000_000) {
    this.#nowMs = startMs
    this.#startMs = startMs
  }

  now(): number {
    return this.#nowMs
  }

  monotonic(): number {
    return this.#nowMs - this.#startMs
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    return this.#add(callback, delayMs, undefined)
  }

  setInterval(callback: () => void, periodMs: number): Timer {
    return this.#add(callback, periodMs, periodMs)
  }

  setImmediate(callback: () => void): void {
    this.#immediates.push(callback)
  }

  /** Runs what was to run after this turn, and what that asks for in the same way. */
  runImmediates(): void {
    while (this.#immediates.length > 0) this.#immediates.shift()!()
  }

  /** Lets promises that need no time settle, with the turns that they ask for. */
  async settle(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      this.runImmediates()
      await new Promise<void>(resolve => systemClock.setImmediate(resolve))
    }
    this.runImmediates()
  }

  /** Moves time on by `ms`, firing each timer at its time. */
  advance(ms: number): void {
    const end = this.#nowMs + ms
    for (;;) {
      const next = this.#next()
      if (next === undefined || next.atMs > end) break
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      if (next.periodMs === undefined) this.#timers.splice(this.#timers.indexOf(next), 1)
      else next.atMs += Math.max(1, next.periodMs)
      next.callback()
      this.runImmediates()
    }
    this.#nowMs = end
  }

  /** Sets the wall time, as a clock that is stepped. */
  step(ms: number): void {
    this.#nowMs += ms
  }

  #next(): SimTimer | undefined {
    let best: SimTimer | undefined
    for (const timer of this.#timers) {
      if (
        best === undefined ||
        timer.atMs < best.atMs ||
        (timer.atMs === best.atMs && timer.sequence < best.sequence)
      ) {
        best = timer
      }
    }
    return best
  }

  #add(callback: () => void, delayMs: number, periodMs: number | undefined): Timer {
    const timer: SimTimer = { atMs: this.#nowMs + delayMs, sequence: this.#sequence++, periodMs, callback }
    this.#timers.push(timer)
    return {
      cancel: () => {
        const index = this.#timers.indexOf(timer)
        if (index >= 0) this.#timers.splice(index, 1)
      },
    }
  }
}
