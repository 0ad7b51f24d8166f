import type { Clock, Timer } from '@rocketmq-ts/runtime'

interface Pending {
  atMs: number
  callback: () => void
  periodMs: number | undefined
}

/** Time that moves only when the test says so. `setImmediate` is the real one, so that sockets work beside it. */
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
    return this.#add({ atMs: this.#nowMs + delayMs, callback, periodMs: undefined })
  }

  setInterval(callback: () => void, periodMs: number): Timer {
    return this.#add({ atMs: this.#nowMs + periodMs, callback, periodMs })
  }

  setImmediate(callback: () => void): void {
    setImmediate(callback)
  }

  /** Moves time on, calling what is due in order. What a callback starts asynchronously runs later; see {@link settle}. */
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

  #due(endMs: number): Pending | undefined {
    let first: Pending | undefined
    for (const pending of this.#pending) {
      if (pending.atMs <= endMs && (first === undefined || pending.atMs < first.atMs)) first = pending
    }
    return first
  }

  #add(pending: Pending): Timer {
    this.#pending.add(pending)
    return { cancel: () => this.#pending.delete(pending) }
  }
}

/** Lets the event loop turn until `condition` holds. Fails loudly instead of hanging when it never does. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never came true: ${what}`)
    await new Promise(resolve => setImmediate(resolve))
  }
}

/** Lets everything that is ready run: a fixed number of turns of the event loop. */
export async function settle(turns = 20): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise(resolve => setImmediate(resolve))
}

/** Moves time on in steps, letting the event loop turn between them, until `condition` holds. */
export async function advanceUntil(
  clock: ManualClock,
  condition: () => boolean,
  what: string,
  stepMs = 100,
): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never came true: ${what}`)
    await settle(5)
    if (!condition()) clock.advance(stepMs)
  }
}
