import { assert } from './assert.ts'
import type { Clock, Timer } from './clock.ts'

/**
 * Something with a deadline. The entry carries its own place in the wheel, so scheduling and cancelling allocate nothing.
 * An entry is in one wheel at most, once at most.
 */
export abstract class TimingWheelEntry {
  /** @internal Neighbours in the slot's ring; undefined while not scheduled. */
  wheelPrevious: TimingWheelEntry | undefined = undefined
  /** @internal */
  wheelNext: TimingWheelEntry | undefined = undefined
  /** @internal Tick at which the entry is due. */
  wheelTick = 0

  /** Called once when the deadline has passed; the entry is out of the wheel by then and may be scheduled again. */
  abstract onTimeout(): void
}

/** The head of a slot's ring. */
class SlotHead extends TimingWheelEntry {
  constructor() {
    super()
    this.wheelPrevious = this
    this.wheelNext = this
  }

  override onTimeout(): void {}
}

/** How a {@link TimingWheel} is built. */
export interface TimingWheelOptions {
  /** Milliseconds between two looks at the wheel: how late a deadline may be noticed. Default 100. */
  tickMs?: number
  /** Slots of the wheel, a power of two. Default 512. */
  slots?: number
  /** A deadline's callback threw. Without it the error is thrown out of the timer. */
  onError?: (error: unknown) => void
}

/**
 * Thousands of deadlines on one timer. A deadline is never early and at most one tick late (plus what the event loop is
 * late itself). The timer runs only while there are entries, and doesn't keep the process alive.
 *
 * Slot `tick & mask` holds a ring of entries due at `tick`, `tick + slots`, `tick + 2 * slots` …; the later ones are
 * passed over.
 */
export class TimingWheel {
  readonly #clock: Clock
  readonly #tickMs: number
  readonly #slots: SlotHead[]
  readonly #mask: number
  readonly #onError: ((error: unknown) => void) | undefined
  #count = 0
  /** The last tick whose slot has been looked at. */
  #doneTick = 0
  #startedMs = 0
  #timer: Timer | undefined
  #catchUpPending = false

  constructor(clock: Clock, { tickMs = 100, slots = 512, onError }: TimingWheelOptions = {}) {
    assert(slots > 0 && (slots & (slots - 1)) === 0, 'slots is a power of two')
    assert(tickMs >= 1, 'tickMs is at least 1')
    this.#clock = clock
    this.#tickMs = tickMs
    this.#mask = slots - 1
    this.#onError = onError
    this.#slots = Array.from({ length: slots }, () => new SlotHead())
  }

  /** Entries that wait. */
  get size(): number {
    return this.#count
  }

  /** Calls `entry.onTimeout()` once `delayMs` (0 or more) have passed. The entry must not be scheduled already. */
  schedule(delayMs: number, entry: TimingWheelEntry): void {
    assert(entry.wheelNext === undefined, 'a timing wheel entry is scheduled once at a time')
    if (this.#timer === undefined) this.#start()
    const nowTick = this.#ticks()
    entry.wheelTick = Math.max(Math.ceil(nowTick + Math.max(0, delayMs) / this.#tickMs), this.#doneTick + 1)
    const head = this.#slots[entry.wheelTick & this.#mask] as SlotHead
    const last = head.wheelPrevious as TimingWheelEntry
    entry.wheelPrevious = last
    entry.wheelNext = head
    last.wheelNext = entry
    head.wheelPrevious = entry
    this.#count++
  }

  /** Takes the entry out; nothing happens when it is not scheduled. */
  cancel(entry: TimingWheelEntry): void {
    const next = entry.wheelNext
    if (next === undefined) return
    const previous = entry.wheelPrevious as TimingWheelEntry
    previous.wheelNext = next
    next.wheelPrevious = previous
    entry.wheelNext = undefined
    entry.wheelPrevious = undefined
    this.#count--
    // The timer is left to notice by itself: calls come and go far more often than it ticks.
  }

  /** Drops all entries without calling them and stops the timer. The wheel may be used again. */
  clear(): void {
    for (const head of this.#slots) {
      let entry = head.wheelNext as TimingWheelEntry
      while (entry !== head) {
        const next = entry.wheelNext as TimingWheelEntry
        this.cancel(entry)
        entry = next
      }
    }
    this.#stop()
  }

  /** Ticks since the timer was started, with a fraction. Counted from there, so that the timer fires at whole ones. */
  #ticks(): number {
    return (this.#clock.monotonic() - this.#startedMs) / this.#tickMs
  }

  #start(): void {
    this.#startedMs = this.#clock.monotonic()
    this.#doneTick = 0
    this.#timer = this.#clock.setInterval(() => this.#tick(), this.#tickMs, { unref: true })
  }

  #stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #tick(): void {
    if (this.#catchUpPending) return
    const behind = Math.floor(this.#ticks()) - this.#doneTick
    if (behind <= 2 || this.#count === 0) {
      this.#advance()
      return
    }
    // The loop was busy: answers may lie unread in the sockets. Let them in before calling anything late.
    this.#catchUpPending = true
    this.#clock.setImmediate(() => {
      this.#catchUpPending = false
      this.#advance()
    })
  }

  #advance(): void {
    const nowTick = Math.floor(this.#ticks())
    const firstTick = Math.max(this.#doneTick + 1, nowTick - this.#mask)
    this.#doneTick = Math.max(this.#doneTick, nowTick)
    for (let tick = firstTick; tick <= nowTick && this.#count > 0; tick++) this.#expire(tick & this.#mask, nowTick)
    if (this.#count === 0) this.#stop()
  }

  #expire(slot: number, nowTick: number): void {
    const head = this.#slots[slot] as SlotHead
    // Due entries move to a ring of their own first, because a callback may cancel or schedule any entry.
    const due = new SlotHead()
    let entry = head.wheelNext as TimingWheelEntry
    while (entry !== head) {
      const next = entry.wheelNext as TimingWheelEntry
      if (entry.wheelTick <= nowTick) moveToEnd(entry, due)
      entry = next
    }
    for (entry = due.wheelNext as TimingWheelEntry; entry !== due; entry = due.wheelNext as TimingWheelEntry) {
      this.cancel(entry)
      this.#call(entry)
    }
  }

  #call(entry: TimingWheelEntry): void {
    try {
      entry.onTimeout()
    } catch (error) {
      if (this.#onError === undefined) throw error
      this.#onError(error)
    }
  }
}

function moveToEnd(entry: TimingWheelEntry, head: SlotHead): void {
  const previous = entry.wheelPrevious as TimingWheelEntry
  const next = entry.wheelNext as TimingWheelEntry
  previous.wheelNext = next
  next.wheelPrevious = previous
  const last = head.wheelPrevious as TimingWheelEntry
  entry.wheelPrevious = last
  entry.wheelNext = head
  last.wheelNext = entry
  head.wheelPrevious = entry
}
