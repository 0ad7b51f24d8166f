/** Steps of the percentile buckets in ms and how many of each. Source: StoreStatsService, 5.3.x */
const bucketSteps = [
  [1, 20],
  [2, 15],
  [5, 10],
  [10, 10],
  [50, 6],
  [100, 5],
  [1000, 9],
] as const

/** Upper bounds of the shown classes: at most the first, below the others; the last class is open. */
const classBounds = [0, 10, 50, 100, 200, 500, 1000, 2000, 3000, 4000, 5000, 10_000]

const classNames = [
  '[<=0ms]',
  '[0~10ms]',
  '[10~50ms]',
  '[50~100ms]',
  '[100~200ms]',
  '[200~500ms]',
  '[500ms~1s]',
  '[1~2s]',
  '[2~3s]',
  '[3~4s]',
  '[4~5s]',
  '[5~10s]',
  '[10s~]',
]

const bucketBounds: readonly number[] = (() => {
  const bounds: number[] = []
  let bound = 0
  for (const [step, count] of bucketSteps) {
    for (let index = 0; index < count; index++) {
      bound += step
      bounds.push(bound)
    }
  }
  bounds.push(Number.MAX_SAFE_INTEGER)
  return bounds
})()

/**
 * How long puts took, in whole milliseconds: the greatest ever, and classes and percentiles of the last full minute.
 * Source: StoreStatsService#setPutMessageEntireTimeMax, 5.3.x
 */
export class LatencyStats {
  maxMs = 0
  #classes = new Float64Array(classNames.length)
  #lastClasses = new Float64Array(classNames.length)
  #buckets = new Float64Array(bucketBounds.length)
  #lastBuckets = new Float64Array(bucketBounds.length)

  /** `count` puts took `elapsedMs` each. */
  add(elapsedMs: number, count = 1): void {
    const value = Math.max(0, Math.floor(elapsedMs))
    if (value > this.maxMs) this.maxMs = value
    let shown = 0
    if (value > 0) {
      shown = 1
      while (shown < classBounds.length && value >= classBounds[shown]!) shown++
    }
    this.#classes[shown]! += count
    this.#buckets[bucketOf(value)]! += count
  }

  /** Ends the present minute. */
  rotate(): void {
    this.#lastClasses = this.#classes
    this.#classes = new Float64Array(classNames.length)
    this.#lastBuckets = this.#buckets
    this.#buckets = new Float64Array(bucketBounds.length)
  }

  /** The classes of the last full minute, as brokerStatus prints them. */
  distributionText(): string {
    return classNames.map((name, index) => `${name}:${this.#lastClasses[index]} `).join('')
  }

  /** The value in ms below which the fraction `quantile` of the last full minute's puts lies. */
  percentileMs(quantile: number): number {
    const total = this.#lastBuckets.reduce((sum, count) => sum + count, 0)
    const wanted = Math.floor(total * quantile)
    let passed = 0
    for (let index = 0; index < bucketBounds.length; index++) {
      const count = this.#lastBuckets[index]!
      if (wanted <= passed + count) {
        const lower = index === 0 ? 0 : bucketBounds[index - 1]!
        return count === 0 ? lower : lower + ((bucketBounds[index]! - lower) * (wanted - passed)) / count
      }
      passed += count
    }
    return 0
  }
}

/** The first bucket whose bound isn't below `value`. */
function bucketOf(value: number): number {
  let low = 0
  let high = bucketBounds.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (bucketBounds[middle]! >= value) high = middle
    else low = middle + 1
  }
  return low
}
