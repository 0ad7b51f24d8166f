import type { Clock } from './clock.ts'

/**
 * What happens at the end of a turn of the event loop, in this order: the store writes the tail of its log, waiting pulls
 * are woken, connections hand their outgoing bytes to the kernel. So nothing is acknowledged before it is written, and
 * each connection writes once a turn.
 */
export type TurnPhase = 'write' | 'wake' | 'flush'

const phases = ['write', 'wake', 'flush'] as const satisfies readonly TurnPhase[]

/** A callback failed at the end of a turn; the others of the turn ran all the same. */
export type TurnErrorListener = (error: unknown, phase: TurnPhase) => void

/**
 * Runs registered callbacks once at the end of each turn in which somebody called {@link TurnScheduler.schedule}. One
 * instance is shared by the parts of a process that must agree on the order (store, broker, connections).
 *
 * Work that a callback makes for a later phase runs in the same end of turn; work for its own or an earlier phase runs at
 * the end of the next turn, provided that `schedule` was called for it.
 */
export class TurnScheduler {
  readonly #clock: Clock
  readonly #onError: TurnErrorListener | undefined
  readonly #callbacks: Record<TurnPhase, (() => void)[]> = { write: [], wake: [], flush: [] }
  #scheduled = false
  readonly #run = () => this.#runPhases()

  /** Without `onError` a callback's error is thrown out of the turn, after all callbacks have run. */
  constructor(clock: Clock, onError?: TurnErrorListener) {
    this.#clock = clock
    this.#onError = onError
  }

  /** Registers `callback` for every coming end of turn. Returns the function that removes it. */
  onEnd(phase: TurnPhase, callback: () => void): () => void {
    // Copied on change, so that a callback may register or remove others while a phase runs.
    this.#callbacks[phase] = [...this.#callbacks[phase], callback]
    return () => {
      this.#callbacks[phase] = this.#callbacks[phase].filter(other => other !== callback)
    }
  }

  /** Asks for an end of turn. Cheap when one is pending already. */
  schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    this.#clock.setImmediate(this.#run)
  }

  #runPhases(): void {
    this.#scheduled = false
    let failed = false
    let failure: unknown
    for (const phase of phases) {
      for (const callback of this.#callbacks[phase]) {
        try {
          callback()
        } catch (error) {
          if (this.#onError !== undefined) this.#onError(error, phase)
          else if (!failed) {
            failed = true
            failure = error
          }
        }
      }
    }
    if (failed) throw failure
  }
}
