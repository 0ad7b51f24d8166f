import { assert, type Logger } from '@rocketmq-ts/runtime'

/**
 * The life of a store; it only moves down, except that a full disk comes and goes.
 *
 * ```text
 *   opening ──► running ◄──► full        full: writes refused, reads served, recovers by itself
 *      │           │          │
 *      │           ▼          ▼
 *      │         fenced (a write or sync failed: read-only until restart)
 *      ▼           │
 *   closed ◄── closing ◄── running, full, fenced
 * ```
 */
export type StoreState = 'opening' | 'running' | 'full' | 'fenced' | 'closing' | 'closed'

export type StoreEvent = 'opened' | 'open-failed' | 'disk-full' | 'space-returned' | 'write-failed' | 'close' | 'closed'

const table: Record<StoreState, Partial<Record<StoreEvent, StoreState>>> = {
  opening: { opened: 'running', 'open-failed': 'closed' },
  running: { 'disk-full': 'full', 'write-failed': 'fenced', close: 'closing', 'space-returned': 'running' },
  full: { 'disk-full': 'full', 'space-returned': 'running', 'write-failed': 'fenced', close: 'closing' },
  fenced: { 'disk-full': 'fenced', 'space-returned': 'fenced', 'write-failed': 'fenced', close: 'closing' },
  // What was under way when the store was closed may still fail.
  closing: { 'disk-full': 'closing', 'space-returned': 'closing', 'write-failed': 'closing', closed: 'closed' },
  closed: {
    'disk-full': 'closed',
    'space-returned': 'closed',
    'write-failed': 'closed',
    close: 'closed',
    closed: 'closed',
  },
}

/** The state after `event`, or undefined when the event can't happen in `state`. */
export function transition(state: StoreState, event: StoreEvent): StoreState | undefined {
  return table[state][event]
}

/** Holds the state; the only place that changes it. Each change is logged once. */
export class Lifecycle {
  readonly #logger: Logger
  #state: StoreState = 'opening'
  #reason = 'the store is being opened'

  constructor(logger: Logger) {
    this.#logger = logger
  }

  get state(): StoreState {
    return this.#state
  }

  get isWritable(): boolean {
    return this.#state === 'running'
  }

  get isReadable(): boolean {
    return this.#state === 'running' || this.#state === 'full' || this.#state === 'fenced'
  }

  /** Why writes are refused, or undefined. */
  get whyNotWritable(): string | undefined {
    return this.#state === 'running' ? undefined : this.#reason
  }

  /** Moves on; `reason` says why, for people. An impossible event is a programmer's error. */
  move(event: StoreEvent, reason: string): void {
    const next = transition(this.#state, event)
    assert(next !== undefined, `store: ${event} in state ${this.#state}`)
    if (next === this.#state) return
    this.#logger[next === 'fenced' || next === 'full' ? 'error' : 'info'](
      { from: this.#state, to: next, reason },
      'store state changed',
    )
    this.#state = next
    this.#reason = reason
  }
}
