/** Samples kept: one a second for ten minutes, and the one before. */
const samplesMax = 601

/** The totals that are sampled. */
export type RateField = 'put' | 'found' | 'miss' | 'transferred'

const fields: readonly RateField[] = ['put', 'found', 'miss', 'transferred']

/**
 * Totals sampled once a second, and from them the rates of the last 10 s, minute and ten minutes.
 * Source: StoreStatsService#sampling, 5.3.x
 */
export class RateSamples {
  /** Five numbers a sample: time, then {@link fields}; oldest first, in a ring. */
  readonly #samples = new Float64Array(samplesMax * 5)
  #next = 0
  #length = 0

  sample(nowMs: number, totals: Record<RateField, number>): void {
    const start = this.#next * 5
    this.#samples[start] = nowMs
    for (let index = 0; index < fields.length; index++) this.#samples[start + 1 + index] = totals[fields[index]!]
    this.#next = (this.#next + 1) % samplesMax
    if (this.#length < samplesMax) this.#length++
  }

  /** Per second over the last `seconds` samples; `undefined` until there are that many. */
  rate(field: RateField, seconds: number): number | undefined {
    if (this.#length <= seconds) return undefined
    const last = (this.#next - 1 + samplesMax) % samplesMax
    const before = (last - seconds + samplesMax) % samplesMax
    const column = 1 + fields.indexOf(field)
    const elapsedMs = this.#samples[last * 5]! - this.#samples[before * 5]!
    const total = this.#samples[last * 5 + column]! - this.#samples[before * 5 + column]!
    return elapsedMs <= 0 ? 0 : (total / elapsedMs) * 1000
  }
}
