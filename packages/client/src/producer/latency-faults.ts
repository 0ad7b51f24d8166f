/** `[latency at least, not available for]`, in ms, highest first. Source: MQFaultStrategy, 5.3.x */
const penalties = [
  [15_000, 30_000],
  [5000, 10_000],
  [3000, 6000],
  [1800, 5000],
  [550, 2000],
  [100, 0],
  [50, 0],
] as const

/** Latency that a send counts as when its broker failed. */
const isolatedLatencyMs = 10_000

interface BrokerFault {
  availableAtMs: number
  isReachable: boolean
  /** When the detector may look again. */
  nextCheckMs: number
}

/**
 * Which brokers to avoid for a while because they were slow or failed. Times are of one monotonic clock, given by the
 * caller. Source: LatencyFaultToleranceImpl, 5.3.x
 */
export class LatencyFaults {
  readonly #faults = new Map<string, BrokerFault>()

  /**
   * Takes note of one attempt. `isIsolated`: it failed, which counts as 10 s. A later moment of availability is never
   * brought forward.
   */
  note(brokerName: string, latencyMs: number, isIsolated: boolean, isReachable: boolean, nowMs: number): void {
    const availableAtMs = nowMs + penaltyMs(isIsolated ? isolatedLatencyMs : latencyMs)
    const fault = this.#faults.get(brokerName)
    if (fault) {
      fault.availableAtMs = Math.max(fault.availableAtMs, availableAtMs)
      fault.isReachable = isReachable
    } else if (availableAtMs > nowMs || !isReachable) {
      this.#faults.set(brokerName, { availableAtMs, isReachable, nextCheckMs: nowMs })
    }
  }

  isAvailable(brokerName: string, nowMs: number): boolean {
    const fault = this.#faults.get(brokerName)
    return fault === undefined || nowMs >= fault.availableAtMs
  }

  isReachable(brokerName: string): boolean {
    return this.#faults.get(brokerName)?.isReachable ?? true
  }

  /** Brokers that the detector should probe now; each is due again `intervalMs` later. */
  dueForCheck(nowMs: number, intervalMs: number): string[] {
    const due: string[] = []
    for (const [brokerName, fault] of this.#faults) {
      if (nowMs < fault.nextCheckMs) continue
      fault.nextCheckMs = nowMs + intervalMs
      due.push(brokerName)
    }
    return due
  }

  /** The detector reached the broker. */
  markReachable(brokerName: string): void {
    const fault = this.#faults.get(brokerName)
    if (fault) fault.isReachable = true
  }

  /** The broker is in no route any more. */
  forget(brokerName: string): void {
    this.#faults.delete(brokerName)
  }
}

function penaltyMs(latencyMs: number): number {
  for (const [from, notAvailableMs] of penalties) if (latencyMs >= from) return notAvailableMs
  return 0
}
