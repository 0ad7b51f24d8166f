import { readInt32 } from '@rocketmq-ts/model/internal'
import type { LogReader } from './commit-log/log-reader.ts'
import { PRE_BLANK_SIZE } from './consume-queue/consume-queue.ts'
import { ENTRY_INTS, type EntryWindow, entryPhysicalOffset, entrySize } from './consume-queue/entries.ts'
import { matchesRecord, type TagFilter } from './message-filter.ts'

/** What a scan needs to know of its request and its queue. */
export interface FilteredScanOptions {
  readonly logReader: LogReader
  readonly filter: TagFilter
  readonly maxCount: number
  /** Entries of the window that are looked at, at most. */
  readonly entryMax: number
  readonly minPhysicalOffset: number
  /** Whether the entry passes without its record. */
  matchesEntry(ints: Int32Array, index: number): boolean
  /** Whether an answer of so many bytes and messages goes beyond the limits; `physicalOffset` is that of the last one. */
  isFull(bytes: number, count: number, physicalOffset: number): boolean
}

/**
 * Collects the messages of a run of entries that a filter lets through which looks at whole records. Each is read and asked
 * in turn, so that the scan goes on over what isn't wanted until the answer is full, as Java's does.
 * Source: DefaultMessageStore#getMessage, 5.3.x.
 */
export class FilteredScan {
  readonly parts: Buffer[] = []
  bytes = 0
  lastPhysicalOffset = -1
  sawRemoved = false
  /** Entries that are done with. */
  scanned = 0
  readonly #options: FilteredScanOptions
  #ints: Int32Array
  #first: number
  #isCopied = false

  constructor(window: EntryWindow, options: FilteredScanOptions) {
    this.#ints = window.ints
    this.#first = window.first
    this.#options = options
  }

  /** Goes on to the end, or to a record that must be read from a file; that one is then to be awaited. */
  run(): Promise<void> | undefined {
    const { entryMax, minPhysicalOffset, maxCount, logReader } = this.#options
    for (; this.scanned < entryMax; this.scanned++) {
      const index = this.#first + this.scanned
      const physicalOffset = entryPhysicalOffset(this.#ints, index)
      const size = entrySize(this.#ints, index)
      if (physicalOffset < minPhysicalOffset || size === PRE_BLANK_SIZE) {
        this.sawRemoved = true
        continue
      }
      this.lastPhysicalOffset = physicalOffset
      const count = this.parts.length
      if (count >= maxCount) return undefined
      if (count > 0 && this.#options.isFull(this.bytes + size, count + 1, physicalOffset)) return undefined
      if (!this.#options.matchesEntry(this.#ints, index)) continue
      const record = logReader.read(physicalOffset, size)
      if (record instanceof Promise) return this.#resume(record, size)
      this.#take(record, size)
    }
    return undefined
  }

  /** The entries are copied before the first wait: meanwhile those in memory may move. */
  async #resume(first: Promise<Buffer | undefined>, firstSize: number): Promise<void> {
    if (!this.#isCopied) {
      const from = this.#first * ENTRY_INTS
      this.#ints = this.#ints.slice(from, from + this.#options.entryMax * ENTRY_INTS)
      this.#first = 0
      this.#isCopied = true
    }
    this.#take(await first, firstSize)
    this.scanned++
    await this.run()
  }

  #take(record: Buffer | undefined, size: number): void {
    if (record === undefined || readInt32(record, 0) !== size) {
      this.sawRemoved = true
      return
    }
    if (!matchesRecord(this.#options.filter, record)) return
    this.parts.push(record)
    this.bytes += record.length
  }
}
