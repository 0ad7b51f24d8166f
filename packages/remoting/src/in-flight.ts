/** Somebody who stopped reading because too much is in flight. */
export interface InFlightWaiter {
  /** There is room again. */
  onInFlightRelief(): void
}

/**
 * Bytes of requests that are being handled, over all connections of a server, and of frames that have come in by half.
 * Above the limit, connections that bring more stop being read from; they go on when half of it is free again.
 */
export class InFlightAccount {
  readonly limitBytes: number
  readonly unfinishedLimitBytes: number
  /** Memory of frames that have come in by half. */
  unfinishedBytes = 0
  #bytes = 0
  readonly #waiters = new Set<InFlightWaiter>()

  constructor(limitBytes: number, unfinishedLimitBytes: number) {
    this.limitBytes = limitBytes
    this.unfinishedLimitBytes = unfinishedLimitBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get isFull(): boolean {
    return this.#bytes > this.limitBytes
  }

  add(bytes: number): void {
    this.#bytes += bytes
  }

  remove(bytes: number): void {
    this.#bytes -= bytes
    if (this.#waiters.size === 0 || this.#bytes > this.limitBytes / 2) return
    const waiters = [...this.#waiters]
    this.#waiters.clear()
    for (const waiter of waiters) waiter.onInFlightRelief()
  }

  wait(waiter: InFlightWaiter): void {
    this.#waiters.add(waiter)
  }

  forget(waiter: InFlightWaiter): void {
    this.#waiters.delete(waiter)
  }
}
