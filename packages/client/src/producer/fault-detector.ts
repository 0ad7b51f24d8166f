import { getMaxOffset } from '@rocketmq-ts/protocol'
import type { Timer } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'
import type { LatencyFaults } from './latency-faults.ts'

const periodMs = 3000
const detectIntervalMs = 2000
const detectTimeoutMs = 200

/**
 * Asks brokers that failed whether they answer again, so that sends may use them early.
 * Source: LatencyFaultToleranceImpl#detectByOneRound, 5.3.x
 */
export class FaultDetector {
  readonly #instance: ClientInstance
  readonly #faults: LatencyFaults
  /** Any topic, as on the wire: its queue 0 is asked about, and need not exist. */
  readonly #topic: () => string | undefined
  readonly #timer: Timer
  #isProbing = false

  constructor(instance: ClientInstance, faults: LatencyFaults, topic: () => string | undefined) {
    this.#instance = instance
    this.#faults = faults
    this.#topic = topic
    this.#timer = instance.clock.setInterval(() => void this.#probeDue(), periodMs, { unref: true })
  }

  close(): void {
    this.#timer.cancel()
  }

  async #probeDue(): Promise<void> {
    if (this.#isProbing) return
    this.#isProbing = true
    const due = this.#faults.dueForCheck(this.#instance.clock.monotonic(), detectIntervalMs)
    await Promise.all(due.map(brokerName => this.#probe(brokerName)))
    this.#isProbing = false
  }

  async #probe(brokerName: string): Promise<void> {
    const { routes, rpc } = this.#instance
    const endpoint = routes.brokers.master(brokerName)
    if (endpoint === undefined) {
      this.#faults.forget(brokerName)
      return
    }
    const topic = this.#topic()
    if (topic === undefined) return
    try {
      await rpc.call(getMaxOffset, endpoint.address, { topic, queueId: 0 }, { timeoutMs: detectTimeoutMs })
      this.#faults.markReachable(brokerName)
    } catch {
      // Still not there: looked at again after the interval.
    }
  }
}
