import type { Clock, Timer } from '@rocketmq-ts/runtime'
import type { ConsumeStatus } from '../consume/consumer-registration.ts'

const samplePeriodMs = 10_000
/** A minute and an hour, in samples. */
const minuteSamples = 6
const hourSamples = 360

/** Counters that only grow. */
interface Counters {
  pulled: number
  pulls: number
  pullMs: number
  succeeded: number
  failed: number
  calls: number
  callMs: number
}

interface TopicStats {
  now: Counters
  /** One entry each ten seconds, the last hour's; oldest first. */
  samples: Counters[]
}

/**
 * Rates of a consumer per topic, over the last minute and hour. One timer for all; nothing is allocated per message.
 * Source: ConsumerStatsManager, 5.3.x
 */
export class ConsumeStats {
  readonly #clock: Clock
  readonly #topics = new Map<string, TopicStats>()
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  start(): void {
    this.#timer ??= this.#clock.setInterval(() => this.sample(), samplePeriodMs, { unref: true })
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** A pull of `topic` brought `count` messages after `elapsedMs`. */
  pulled(topic: string, count: number, elapsedMs: number): void {
    const { now } = this.#of(topic)
    now.pulled += count
    now.pulls++
    now.pullMs += elapsedMs
  }

  /** One call of the handler ended. */
  consumed(topic: string, succeeded: number, failed: number, elapsedMs: number): void {
    const { now } = this.#of(topic)
    now.succeeded += succeeded
    now.failed += failed
    now.calls++
    now.callMs += elapsedMs
  }

  /** Takes one sample; the timer calls it each ten seconds. */
  sample(): void {
    for (const stats of this.#topics.values()) {
      stats.samples.push({ ...stats.now })
      if (stats.samples.length > hourSamples + 1) stats.samples.shift()
    }
  }

  /** Rates of one topic; zeros when nothing was consumed. */
  status(topic: string): ConsumeStatus {
    const stats = this.#of(topic)
    const minute = since(stats, minuteSamples)
    const hour = since(stats, hourSamples)
    const seconds = (Math.min(minuteSamples, Math.max(1, stats.samples.length)) * samplePeriodMs) / 1000
    return {
      pullRT: ratio(minute.pullMs, minute.pulls),
      pullTPS: minute.pulled / seconds,
      consumeRT: minute.calls > 0 ? ratio(minute.callMs, minute.calls) : ratio(hour.callMs, hour.calls),
      consumeOKTPS: minute.succeeded / seconds,
      consumeFailedTPS: minute.failed / seconds,
      consumeFailedMsgs: hour.failed,
    }
  }

  #of(topic: string): TopicStats {
    const known = this.#topics.get(topic)
    if (known !== undefined) return known
    const fresh = { now: zeros(), samples: [] }
    this.#topics.set(topic, fresh)
    return fresh
  }
}

function zeros(): Counters {
  return { pulled: 0, pulls: 0, pullMs: 0, succeeded: 0, failed: 0, calls: 0, callMs: 0 }
}

function ratio(sum: number, count: number): number {
  return count === 0 ? 0 : sum / count
}

function since(stats: TopicStats, samples: number): Counters {
  const then = stats.samples.length > samples ? stats.samples[stats.samples.length - 1 - samples]! : zeros()
  const difference = zeros()
  for (const name of Object.keys(difference) as (keyof Counters)[]) difference[name] = stats.now[name] - then[name]
  return difference
}
