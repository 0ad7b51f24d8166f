import type { Clock } from '@rocketmq-ts/runtime'
import type { BrokerDeparture } from './route/unregister-brokers.ts'

/**
 * Brokers that leave are worked off together after the turn in which they said so, because each batch goes through all
 * topics. Bounded: {@link DepartureQueue.add} says when there is no room.
 */
export class DepartureQueue {
  readonly #clock: Clock
  readonly #capacity: () => number
  readonly #onBatch: (batch: readonly BrokerDeparture[]) => void
  #waiting: BrokerDeparture[] = []

  constructor(clock: Clock, capacity: () => number, onBatch: (batch: readonly BrokerDeparture[]) => void) {
    this.#clock = clock
    this.#capacity = capacity
    this.#onBatch = onBatch
  }

  get size(): number {
    return this.#waiting.length
  }

  /** False when the queue is full; then the departure is not taken. */
  add(departure: BrokerDeparture): boolean {
    if (this.#waiting.length >= this.#capacity()) return false
    this.#waiting.push(departure)
    if (this.#waiting.length === 1) this.#clock.setImmediate(() => this.drain())
    return true
  }

  /** Works off what waits. */
  drain(): void {
    if (this.#waiting.length === 0) return
    const batch = this.#waiting
    this.#waiting = []
    this.#onBatch(batch)
  }
}
