import { offAbort, onAbort } from './abort.ts'

/** A pending timer. `cancel()` is idempotent. */
export interface Timer {
  cancel(): void
}

/**
 * The only source of time. Wall time (`now`) is what goes on the wire and to disk; `monotonic` is for measuring and
 * deadlines, because it never steps. A timer's callback must not throw.
 */
export interface Clock {
  /** Milliseconds since 1970, an integer. */
  now(): number
  /** Milliseconds since an arbitrary moment, with a fraction; never goes back. */
  monotonic(): number
  /** Runs `callback` once, `delayMs` (0 or more) from now. Does not keep the process alive when `unref` is true. */
  setTimeout(callback: () => void, delayMs: number, options?: { unref?: boolean }): Timer
  /** Runs `callback` every `periodMs` (at least 1). Does not keep the process alive when `unref` is true. */
  setInterval(callback: () => void, periodMs: number, options?: { unref?: boolean }): Timer
  /** Runs `callback` after the input of this turn of the event loop has been handled. */
  setImmediate(callback: () => void): void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(callback, delayMs, options) {
    const handle = setTimeout(callback, delayMs)
    if (options?.unref) handle.unref()
    return { cancel: () => clearTimeout(handle) }
  },
  setInterval(callback, periodMs, options) {
    const handle = setInterval(callback, periodMs)
    if (options?.unref) handle.unref()
    return { cancel: () => clearInterval(handle) }
  },
  setImmediate: callback => void setImmediate(callback),
}

/** Resolves after `delayMs` on `clock`. Rejects with the signal's reason when aborted. */
export function delay(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const giveUp = () => {
      timer.cancel()
      reject(signal?.reason)
    }
    const timer = clock.setTimeout(() => {
      if (signal) offAbort(signal, giveUp)
      resolve()
    }, delayMs)
    if (signal) onAbort(signal, giveUp)
  })
}
