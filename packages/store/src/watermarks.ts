import { assert } from '@rocketmq-ts/runtime'

/**
 * How far the commit log has come, as physical offsets:
 *
 *   flushed ≤ written ≤ appended      dispatched ≤ confirmed ≤ written
 *
 * appended: encoded in memory. written: handed to the kernel, survives a killed process. flushed: on the device, survives power
 * loss. confirmed: consumers may see it (written, or flushed with SYNC_FLUSH). dispatched: in the consume queues that they see.
 */
export class Watermarks {
  appended: number
  written: number
  flushed: number
  confirmed: number
  dispatched: number

  constructor(offset: number) {
    this.appended = offset
    this.written = offset
    this.flushed = offset
    this.confirmed = offset
    this.dispatched = offset
  }

  /** Checked once a turn, not per message. */
  check(): void {
    assert(this.flushed <= this.written && this.written <= this.appended, 'flushed ≤ written ≤ appended')
    assert(this.dispatched <= this.confirmed && this.confirmed <= this.written, 'dispatched ≤ confirmed ≤ written')
  }
}
