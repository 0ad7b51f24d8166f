import type { Watermarks } from '../watermarks.ts'
import type { CommitLog } from './commit-log.ts'

export interface GroupCommitListener {
  /** A sync begins; what is returned is handed to `onFlushed` when it has succeeded. */
  newestTimestamp(): number
  /** The flushed watermark has moved over records stored up to `timestamp`. */
  onFlushed(timestamp: number): void
  /** A sync failed: nothing more may be acknowledged. */
  onSyncFailure(error: unknown): void
}

/**
 * Brings the log to the device: one sync in flight, off the event loop; whatever is written meanwhile joins the next one.
 */
export class GroupCommit {
  readonly #commitLog: CommitLog
  readonly #watermarks: Watermarks
  readonly #listener: GroupCommitListener
  #wanted = 0
  #inFlight: Promise<void> | undefined
  #failed = false

  constructor(commitLog: CommitLog, watermarks: Watermarks, listener: GroupCommitListener) {
    this.#commitLog = commitLog
    this.#watermarks = watermarks
    this.#listener = listener
  }

  /** Asks for a flush up to `offset`, which may be appended and not yet written: {@link pump} is called again after the write. */
  request(offset: number): void {
    if (offset > this.#wanted) this.#wanted = offset
  }

  /** Starts a sync when one is wanted, possible and none is in flight. */
  pump(): void {
    const { written, flushed } = this.#watermarks
    if (this.#inFlight !== undefined || this.#failed || this.#wanted <= flushed || written <= flushed) return
    this.#inFlight = this.#syncWritten()
  }

  /** Resolves when everything written before the call is on the device, or the store has been told of the failure. */
  async flushWritten(): Promise<void> {
    const target = this.#watermarks.written
    this.request(target)
    while (this.#watermarks.flushed < target && !this.#failed) {
      this.pump()
      await this.#inFlight
    }
  }

  async #syncWritten(): Promise<void> {
    const { log } = this.#commitLog
    const target = this.#watermarks.written
    const timestamp = this.#listener.newestTimestamp()
    try {
      const files = log.segments.filter(
        segment => segment.startOffset < target && segment.startOffset + log.fileSizeBytes > this.#watermarks.flushed,
      )
      await Promise.all(files.map(segment => log.file(segment).sync()))
    } catch (error) {
      this.#failed = true
      this.#inFlight = undefined
      this.#listener.onSyncFailure(error)
      return
    }
    this.#inFlight = undefined
    if (target > this.#watermarks.flushed) this.#watermarks.flushed = target
    this.#listener.onFlushed(timestamp)
    this.pump()
  }
}
