/** Latencies in microseconds in logarithmic buckets of about 1 %: constant memory, whatever the count. */
export class LatencyHistogram {
  private readonly buckets = new Float64Array(2000)
  private total = 0

  add(milliseconds: number): void {
    const micros = Math.max(1, milliseconds * 1000)
    const bucket = Math.min(1999, Math.floor(Math.log(micros) * 100))
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1
    this.total++
  }

  get count(): number {
    return this.total
  }

  /** Milliseconds; `fraction` 0.5 is the median. */
  percentile(fraction: number): number {
    let left = this.total * fraction
    for (let bucket = 0; bucket < this.buckets.length; bucket++) {
      left -= this.buckets[bucket] ?? 0
      if (left <= 0) return Math.exp((bucket + 0.5) / 100) / 1000
    }
    return 0
  }
}
