/**
 * One counted thing (messages of a topic, pulls of a group …) with its history for a minute, an hour and a day. Adding is
 * three additions; history is kept only from the first sampling on.
 *
 * The samples of a window are triples `count, bytes, calls` in one array, oldest first; their times are the sampler's,
 * which samples all flows together.
 */
export class Flow {
  count = 0
  bytes = 0
  calls = 0
  readonly windows: [Window | undefined, Window | undefined, Window | undefined] = [undefined, undefined, undefined]
  /** `calls` when it was last found changed, and when that was: for dropping idle flows. */
  #callsSeen = -1
  #changedAtMs = 0

  add(count: number, bytes: number, calls: number): void {
    this.count += count
    this.bytes += bytes
    this.calls += calls
  }

  /** Appends the present totals to a window. */
  sample(window: WindowIndex): void {
    let samples = this.windows[window]
    if (samples === undefined) {
      samples = new Window(windowCapacities[window])
      this.windows[window] = samples
    }
    samples.push(this.count, this.bytes, this.calls)
  }

  /** How long nothing was added, as far as sampling at `nowMs` and before has noticed. */
  idleMs(nowMs: number): number {
    if (this.calls !== this.#callsSeen) {
      this.#callsSeen = this.calls
      this.#changedAtMs = nowMs
    }
    return nowMs - this.#changedAtMs
  }
}

/** 0: seven samples of 10 s; 1: seven of 10 min; 2: twenty-five of an hour. */
export type WindowIndex = 0 | 1 | 2

/** Samples kept. Source: StatsItem#samplingInSeconds and its siblings, 5.3.x */
export const windowCapacities = [7, 7, 25] as const

/** Milliseconds between two samples of a window. */
export const windowPeriodsMs = [10_000, 600_000, 3_600_000] as const

/** Which of the three totals a statistic is about. */
export type FlowField = 0 | 1 | 2

/** The last samples of one flow. The first real sample is preceded by one of zeros. */
export class Window {
  readonly #samples: Float64Array
  readonly #capacity: number
  length = 0

  constructor(capacity: number) {
    this.#capacity = capacity
    this.#samples = new Float64Array(capacity * 3)
  }

  push(count: number, bytes: number, calls: number): void {
    if (this.length === 0) this.length = 1
    if (this.length === this.#capacity) {
      this.#samples.copyWithin(0, 3)
      this.length--
    }
    const start = this.length * 3
    this.#samples[start] = count
    this.#samples[start + 1] = bytes
    this.#samples[start + 2] = calls
    this.length++
  }

  /** Newest minus oldest value of a total. */
  difference(field: FlowField): number {
    if (this.length === 0) return 0
    return this.#samples[(this.length - 1) * 3 + field]! - this.#samples[field]!
  }
}
