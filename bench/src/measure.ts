import type { Contender } from './contender.ts'
import type { LoadResult } from './load/send-load.ts'

/** Figures of one workload on one broker. */
export interface Figures {
  readonly perSecond: number
  readonly perCpuSecond: number
  readonly megabytesPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly errors: number
  /** CPU seconds of the load generator per second: near 1 it is the limit, not the broker. */
  readonly generatorBusy: number
}

/** Runs `load` and relates its result to the CPU time that the broker's process spent meanwhile. */
export async function measure(contender: Contender, load: () => Promise<LoadResult>): Promise<Figures> {
  const before = contender.process.usage().cpuSeconds
  const ownBefore = process.cpuUsage()
  const result = await load()
  const own = process.cpuUsage(ownBefore)
  const cpuSeconds = contender.process.usage().cpuSeconds - before
  return {
    perSecond: result.messages / result.seconds,
    perCpuSecond: result.messages / cpuSeconds,
    megabytesPerSecond: result.bytes / result.seconds / 1e6,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    errors: Object.values(result.errors).reduce((sum, count) => sum + count, 0),
    generatorBusy: (own.user + own.system) / 1e6 / result.seconds,
  }
}
