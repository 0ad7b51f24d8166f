/** Hears once that a signal was aborted. */
export type AbortListener = (() => void) | { handleEvent(): void }

/** Listeners by signal, in the order in which they came. */
const listenersOf = new WeakMap<AbortSignal, Set<AbortListener>>()

/**
 * As `signal.addEventListener('abort', listener, { once: true })`, for any number of listeners: the signal itself has one. Node warns of a
 * leak at more than ten, and takes longer to remove one the more there are; thousands of sends may share a signal.
 */
export function onAbort(signal: AbortSignal, listener: AbortListener): void {
  let listeners = listenersOf.get(signal)
  if (listeners === undefined) {
    listeners = new Set()
    listenersOf.set(signal, listeners)
  }
  if (listeners.size === 0) signal.addEventListener('abort', tellAll)
  listeners.add(listener)
}

/** Ends what {@link onAbort} began; no error when it is over. */
export function offAbort(signal: AbortSignal, listener: AbortListener): void {
  const listeners = listenersOf.get(signal)
  if (listeners?.delete(listener) === true && listeners.size === 0) signal.removeEventListener('abort', tellAll)
}

/** One that throws keeps none of the others from hearing; the first error is thrown at the end, as from an event listener. */
function tellAll(this: AbortSignal): void {
  const listeners = listenersOf.get(this)
  if (listeners === undefined) return
  this.removeEventListener('abort', tellAll)
  let failure: { error: unknown } | undefined
  for (const listener of listeners) {
    // Deleted here, so that one who leaves another while all are told keeps it from hearing.
    listeners.delete(listener)
    try {
      if (typeof listener === 'function') listener()
      else listener.handleEvent()
    } catch (error) {
      failure ??= { error }
    }
  }
  if (failure !== undefined) throw failure.error
}
