import type { ConsumeQueue } from './consume-queue.ts'
import { decodeEntries, ENTRY_BYTES, type EntryWindow } from './entries.ts'

/** Entries read at once: what a filtered pull may scan. */
const WINDOW_ENTRIES = 819
/** Queues whose last read window is kept. */
const WINDOWS_MAX = 256

/** Gives runs of entries: the newest from the queue's memory, older ones from its files, a window at a time. */
export class EntryReader {
  /** The least recently used queue first. */
  readonly #windows = new Map<ConsumeQueue, EntryWindow>()

  /**
   * The run of entries that begins at `offset`, which lies from the queue's minimum to below its maximum. Empty when the files don't hold
   * it. A promise only when a file must be read.
   */
  window(queue: ConsumeQueue, offset: number): EntryWindow | Promise<EntryWindow> {
    if (offset >= queue.recentStart) {
      return {
        ints: queue.recent,
        first: offset - queue.recentStart,
        firstOffset: offset,
        count: queue.visibleOffset - offset,
      }
    }
    const kept = this.#windows.get(queue)
    if (kept !== undefined && offset >= kept.firstOffset && offset < kept.firstOffset + kept.count) {
      const skip = offset - kept.firstOffset
      return { ints: kept.ints, first: kept.first + skip, firstOffset: offset, count: kept.count - skip }
    }
    return this.#load(queue, offset)
  }

  /** Forgets what is kept of a queue that was removed or cut. */
  forget(queue: ConsumeQueue): void {
    this.#windows.delete(queue)
  }

  async #load(queue: ConsumeQueue, offset: number): Promise<EntryWindow> {
    const end = Math.min(queue.writtenOffset, queue.visibleOffset, offset + WINDOW_ENTRIES)
    const bytes = Buffer.allocUnsafe((end - offset) * ENTRY_BYTES)
    const got = await queue.log.read(bytes, 0, bytes.length, offset * ENTRY_BYTES)
    const count = Math.floor(got / ENTRY_BYTES)
    const window = { ints: decodeEntries(bytes.subarray(0, count * ENTRY_BYTES)), first: 0, firstOffset: offset, count }
    this.#windows.delete(queue)
    this.#windows.set(queue, window)
    for (const oldest of this.#windows.keys()) {
      if (this.#windows.size <= WINDOWS_MAX) break
      this.#windows.delete(oldest)
    }
    return window
  }
}
