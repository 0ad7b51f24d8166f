import type { Clock } from './clock.ts'
import type { Logger } from './logger.ts'

/** How a {@link RateLimitedLog} is built. */
export interface RateLimitedLogOptions {
  /** A line of one key is written at most once in this time. Default 10,000 ms. */
  periodMs?: number
  /** Keys remembered; when full, the oldest is forgotten. Default 1,000. */
  keysMax?: number
}

interface KeyState {
  nextAtMs: number
  suppressed: number
}

/**
 * For lines that a peer or a fault can repeat without end. The first of a key is written; those that follow within the
 * period are counted, and the next one written carries the count as `suppressed`.
 */
export class RateLimitedLog {
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #periodMs: number
  readonly #keysMax: number
  readonly #keys = new Map<string, KeyState>()

  constructor(clock: Clock, logger: Logger, { periodMs = 10_000, keysMax = 1_000 }: RateLimitedLogOptions = {}) {
    this.#clock = clock
    this.#logger = logger
    this.#periodMs = periodMs
    this.#keysMax = keysMax
  }

  /** `key` groups lines: a constant, or a constant with a bounded set of values such as an address. */
  info(key: string, fields: object, message: string): void {
    const suppressed = this.#admit(key)
    if (suppressed >= 0) this.#logger.info(suppressed > 0 ? { ...fields, suppressed } : fields, message)
  }

  /** See {@link RateLimitedLog.info}. */
  warn(key: string, fields: object, message: string): void {
    const suppressed = this.#admit(key)
    if (suppressed >= 0) this.#logger.warn(suppressed > 0 ? { ...fields, suppressed } : fields, message)
  }

  /** See {@link RateLimitedLog.info}. */
  error(key: string, fields: object, message: string): void {
    const suppressed = this.#admit(key)
    if (suppressed >= 0) this.#logger.error(suppressed > 0 ? { ...fields, suppressed } : fields, message)
  }

  /** Lines suppressed before this one, or -1 when this one is suppressed too. */
  #admit(key: string): number {
    const nowMs = this.#clock.monotonic()
    const state = this.#keys.get(key)
    if (state === undefined) {
      if (this.#keys.size >= this.#keysMax) {
        const oldest = this.#keys.keys().next()
        if (!oldest.done) this.#keys.delete(oldest.value)
      }
      this.#keys.set(key, { nextAtMs: nowMs + this.#periodMs, suppressed: 0 })
      return 0
    }
    if (nowMs < state.nextAtMs) {
      state.suppressed++
      return -1
    }
    const suppressed = state.suppressed
    state.suppressed = 0
    state.nextAtMs = nowMs + this.#periodMs
    return suppressed
  }
}
