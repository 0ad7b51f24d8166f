/**
 * What the broker has acknowledged: for each queue, which message id it said lies at which offset. Compact, because ten
 * minutes of load acknowledge millions.
 */
export class Ledger {
  /** queue key -> id by queue offset; 0 where nothing was acknowledged (the answer was lost with the kill). */
  private readonly queues = new Map<string, number[]>()
  acknowledged = 0

  acknowledge(queue: string, offset: number, id: number): void {
    const ids = this.queues.get(queue) ?? []
    if (ids.length === 0) this.queues.set(queue, ids)
    while (ids.length < offset) ids.push(0)
    const earlier = ids[offset]
    if (earlier !== undefined && earlier !== 0) {
      throw new Error(`${queue} offset ${offset} was acknowledged to message ${earlier} and again to ${id}`)
    }
    ids[offset] = id
    this.acknowledged++
  }

  names(): string[] {
    return [...this.queues.keys()]
  }

  /** Ids by offset; holes are 0. */
  expected(queue: string): readonly number[] {
    return this.queues.get(queue) ?? []
  }
}
