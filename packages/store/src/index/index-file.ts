import { assert, type Disk, type DiskFile } from '@rocketmq-ts/runtime'

/**
 * One file of the key index. Big-endian, at full length from the start (sparse):
 *
 * | at | bytes | |
 * |---:|---:|---|
 * | 0 | 40 | i64 beginTimestamp, i64 endTimestamp, i64 beginPhyOffset, i64 endPhyOffset, i32 hashSlotCount, i32 indexCount |
 * | 40 | 4 x slots | number of the newest entry of the slot, 0 none |
 * | | 20 x entries | i32 key hash, i64 physical offset, i32 seconds since beginTimestamp, i32 previous entry of the slot |
 *
 * `indexCount` is the number of the next entry; entry 0 is never used. `hashSlotCount` counts slots in use.
 *
 * Entries are written in runs; slots live in memory, are loaded by page when first touched, and are written back by page now and then. A
 * slot page on disk may therefore be older than the entries: {@link replaySlots} brings it up to date after a crash.
 * Source: IndexFile, IndexHeader, 5.3.x.
 */
const HEADER_BYTES = 40
const SLOT_BYTES = 4
const ENTRY_BYTES = 20
const TWO_32 = 4294967296
/** Slots per page that is loaded and written as one. */
const PAGE_SLOTS = 16 * 1024
/** Entries that wait in memory before they are written. */
const PENDING_ENTRIES = 3276

export interface IndexFileSizes {
  readonly slotCount: number
  readonly entryCount: number
}

export class IndexFile {
  readonly path: string
  readonly #sizes: IndexFileSizes
  readonly #disk: Disk
  #file: DiskFile | undefined
  #isNew = false
  beginTimestamp = 0
  endTimestamp = 0
  beginPhysicalOffset = 0
  endPhysicalOffset = 0
  slotsInUse = 0
  /** Number of the next entry. */
  count = 1
  #slots: Int32Array | undefined
  #pageLoaded: Uint8Array
  #pageDirty: Uint8Array
  /** Entries below it are in the file. */
  #writtenCount = 1
  /** Entries of records that are in the log; the header as of them is what the file may say. */
  #settledCount = 1
  #settledSlotsInUse = 0
  #settledEndTimestamp = 0
  #settledEndPhysicalOffset = 0
  /** Entries from `#writtenCount` on. */
  #pending: DataView
  /** Full, and all written: only the sync is missing. */
  isComplete = false
  /** The slots on disk know all entries of records before this offset. */
  slotsWrittenOffset = 0
  /** The page at which the current round of {@link writeSlots} stands, and what there was when it began. */
  #roundPage = 0
  #roundOffset = 0

  constructor(disk: Disk, path: string, sizes: IndexFileSizes) {
    this.#disk = disk
    this.path = path
    this.#sizes = sizes
    const pages = Math.ceil(sizes.slotCount / PAGE_SLOTS)
    this.#pageLoaded = new Uint8Array(pages)
    this.#pageDirty = new Uint8Array(pages)
    this.#pending = new DataView(new ArrayBuffer(0))
  }

  get byteLength(): number {
    return HEADER_BYTES + this.#sizes.slotCount * SLOT_BYTES + this.#sizes.entryCount * ENTRY_BYTES
  }

  get isFull(): boolean {
    return this.count >= this.#sizes.entryCount
  }

  /** Entries that still fit. */
  get freeCount(): number {
    return this.#sizes.entryCount - this.count
  }

  /** A new file, empty; times and offsets start at those of the file before it. It is made on disk with the first write. */
  create(previous: IndexFile | undefined): void {
    this.#isNew = true
    this.#pageLoaded.fill(1)
    if (previous === undefined) return
    this.beginTimestamp = previous.endTimestamp
    this.endTimestamp = previous.endTimestamp
    this.beginPhysicalOffset = previous.endPhysicalOffset
    this.endPhysicalOffset = previous.endPhysicalOffset
    this.slotsWrittenOffset = previous.endPhysicalOffset
    this.#roundOffset = previous.endPhysicalOffset
    this.settle()
  }

  /** Reads the header. A file of another length is brought to the configured one, as Java maps it. */
  load(): void {
    const file = this.#disk.open(this.path)
    this.#file = file
    if (file.size() !== this.byteLength) file.truncate(this.byteLength)
    const header = Buffer.alloc(HEADER_BYTES)
    file.readSync(header, 0, HEADER_BYTES, 0)
    this.beginTimestamp = Number(header.readBigInt64BE(0))
    this.endTimestamp = Number(header.readBigInt64BE(8))
    this.beginPhysicalOffset = Number(header.readBigInt64BE(16))
    this.endPhysicalOffset = Number(header.readBigInt64BE(24))
    this.slotsInUse = header.readInt32BE(32)
    this.count = Math.min(Math.max(1, header.readInt32BE(36)), this.#sizes.entryCount)
    this.#writtenCount = this.count
    this.slotsWrittenOffset = this.endPhysicalOffset + 1
    this.#roundOffset = this.endPhysicalOffset + 1
    this.settle()
  }

  /**
   * Adds an entry; the file isn't full. `hash` is 0 or more.
   * Source: IndexFile#putKey, 5.3.x.
   */
  put(hash: number, physicalOffset: number, storeTimestamp: number): void {
    const slot = hash % this.#sizes.slotCount
    const slots = this.#slots ?? this.#allocateSlots()
    const page = Math.floor(slot / PAGE_SLOTS)
    if (this.#pageLoaded[page] === 0) this.#loadPage(page)
    let previous = slots[slot]!
    if (previous <= 0 || previous > this.count) previous = 0
    let seconds = 0
    if (this.beginTimestamp > 0 && this.count > 1) {
      seconds = Math.floor((storeTimestamp - this.beginTimestamp) / 1000)
      if (seconds < 0) seconds = 0
      else if (seconds > 0x7fffffff) seconds = 0x7fffffff
    }
    const at = (this.count - this.#writtenCount) * ENTRY_BYTES
    if (at >= this.#pending.byteLength) this.#makeRoom()
    const entry = (this.count - this.#writtenCount) * ENTRY_BYTES
    this.#pending.setInt32(entry, hash)
    this.#pending.setInt32(entry + 4, physicalOffset / TWO_32)
    this.#pending.setInt32(entry + 8, physicalOffset)
    this.#pending.setInt32(entry + 12, seconds)
    this.#pending.setInt32(entry + 16, previous)
    slots[slot] = this.count
    this.#pageDirty[page] = 1
    if (previous === 0) this.slotsInUse++
    if (this.count <= 1) {
      this.beginPhysicalOffset = physicalOffset
      this.beginTimestamp = storeTimestamp
    }
    this.count++
    this.endPhysicalOffset = physicalOffset
    this.endTimestamp = storeTimestamp
  }

  /** The records of the entries so far are in the log. */
  settle(): void {
    this.#settledCount = this.count
    this.#settledSlotsInUse = this.slotsInUse
    this.#settledEndTimestamp = this.endTimestamp
    this.#settledEndPhysicalOffset = this.endPhysicalOffset
  }

  /** Takes the entries of the unwritten records back. */
  rollBack(): void {
    const slots = this.#slots
    if (slots !== undefined) {
      for (let number = this.count - 1; number >= this.#settledCount; number--) {
        const at = (number - this.#writtenCount) * ENTRY_BYTES
        slots[this.#pending.getInt32(at) % this.#sizes.slotCount] = this.#pending.getInt32(at + 16)
      }
    }
    this.count = this.#settledCount
    this.slotsInUse = this.#settledSlotsInUse
    this.endTimestamp = this.#settledEndTimestamp
    this.endPhysicalOffset = this.#settledEndPhysicalOffset
  }

  /** Writes the settled entries, then the header. Throws `DISK_FULL` or `DISK_FAILED`. */
  writeEntries(): void {
    const entries = this.#settledCount - this.#writtenCount
    if (entries === 0) return
    const bytes = Buffer.from(this.#pending.buffer, 0, entries * ENTRY_BYTES)
    this.#open().writeSync(bytes, 0, bytes.length, this.#entryPosition(this.#writtenCount))
    const rest = this.count - this.#settledCount
    if (rest > 0) {
      const all = new Uint8Array(this.#pending.buffer)
      all.copyWithin(0, entries * ENTRY_BYTES, (entries + rest) * ENTRY_BYTES)
    }
    this.#writtenCount = this.#settledCount
    this.#writeHeader()
  }

  /**
   * Writes up to `pageCount` changed slot pages, going round; true when a round is complete. Whatever was indexed before the round began is
   * then known to the slots on disk. Does nothing while entries aren't written.
   */
  writeSlots(pageCount: number): boolean {
    if (this.#writtenCount !== this.count) return false
    let left = pageCount
    for (; this.#roundPage < this.#pageDirty.length; this.#roundPage++) {
      if (this.#pageDirty[this.#roundPage] === 0) continue
      if (left-- === 0) return false
      this.#writePage(this.#roundPage)
    }
    this.slotsWrittenOffset = this.#roundOffset
    this.#roundOffset = this.count > 1 ? this.endPhysicalOffset + 1 : this.endPhysicalOffset
    this.#roundPage = 0
    return true
  }

  /** Changed slot pages. */
  get dirtyPageCount(): number {
    let count = 0
    for (const dirty of this.#pageDirty) count += dirty
    return count
  }

  /** Puts the entries of records from `physicalOffset` on into the slots: what a crash before {@link writeSlots} left out. */
  replaySlots(physicalOffset: number): void {
    this.#replayFrom(this.#firstEntryFrom(physicalOffset))
    this.slotsWrittenOffset = Math.min(physicalOffset, this.slotsWrittenOffset)
  }

  #replayFrom(from: number): void {
    const block = Buffer.allocUnsafe(PENDING_ENTRIES * ENTRY_BYTES)
    const slots = this.#slots ?? this.#allocateSlots()
    for (let number = Math.max(1, from); number < this.count; ) {
      const entries = Math.min(PENDING_ENTRIES, this.count - number)
      this.#open().readSync(block, 0, entries * ENTRY_BYTES, this.#entryPosition(number))
      for (let i = 0; i < entries; i++) {
        const slot = (block.readInt32BE(i * ENTRY_BYTES) & 0x7fffffff) % this.#sizes.slotCount
        const page = Math.floor(slot / PAGE_SLOTS)
        if (this.#pageLoaded[page] === 0) this.#loadPage(page)
        slots[slot] = number + i
        this.#pageDirty[page] = 1
      }
      number += entries
    }
  }

  /**
   * Forgets the entries of records at or behind `physicalOffset`, and builds the slots anew from those that stay: for an index that lost
   * what wasn't synced. Returns the number of entries that stay.
   */
  cutAt(physicalOffset: number): number {
    const low = this.#firstEntryFrom(physicalOffset)
    this.count = low
    this.#writtenCount = low
    this.endPhysicalOffset = low > 1 ? this.#entryPhysicalOffset(low - 1) : this.beginPhysicalOffset
    this.slotsInUse = 0
    const slots = this.#allocateSlots()
    this.#pageLoaded.fill(1)
    this.#pageDirty.fill(1)
    this.#replayFrom(1)
    for (const value of slots) if (value > 0) this.slotsInUse++
    this.settle()
    this.slotsWrittenOffset = this.beginPhysicalOffset
    this.#roundPage = 0
    this.#roundOffset = this.beginPhysicalOffset
    this.#writeHeader()
    return low - 1
  }

  /**
   * Physical offsets of entries with this hash stored from `begin` to `end`, newest first, at most `maxCount` together with what
   * `found` holds already. Source: IndexFile#selectPhyOffset, 5.3.x.
   */
  async query(hash: number, begin: number, end: number, maxCount: number, found: number[]): Promise<void> {
    this.writeEntries()
    const entry = Buffer.allocUnsafe(ENTRY_BYTES)
    let number = await this.#slotValue(hash % this.#sizes.slotCount)
    // A chain only goes back, so it ends after at most `count` steps even in a damaged file.
    let steps = this.count
    while (number > 0 && number < this.count && found.length < maxCount && steps-- > 0) {
      await this.#open().read(entry, 0, ENTRY_BYTES, this.#entryPosition(number))
      const seconds = Math.max(0, entry.readInt32BE(12))
      const time = this.beginTimestamp + seconds * 1000
      if (entry.readInt32BE(0) === hash && time >= begin && time <= end) {
        found.push(entry.readInt32BE(4) * TWO_32 + entry.readUInt32BE(8))
      }
      const previous = entry.readInt32BE(16)
      if (previous >= number || time < begin) return
      number = previous
    }
  }

  /** True when entries stored from `begin` to `end` may be here. */
  overlaps(begin: number, end: number): boolean {
    return begin <= this.endTimestamp && end >= this.beginTimestamp
  }

  async sync(): Promise<void> {
    await this.#open().sync()
  }

  /** Gives the memory of the slots back; they are loaded again when needed. All must be written. */
  forgetSlots(): void {
    assert(this.dirtyPageCount === 0, 'changed slots must be written before they are forgotten')
    this.#slots = undefined
    this.#pageLoaded.fill(0)
    this.#pending = new DataView(new ArrayBuffer(0))
  }

  close(): void {
    this.#file?.close()
    this.#file = undefined
  }

  async #slotValue(slot: number): Promise<number> {
    if (this.#slots !== undefined && this.#pageLoaded[Math.floor(slot / PAGE_SLOTS)] === 1) return this.#slots[slot]!
    const bytes = Buffer.alloc(SLOT_BYTES)
    await this.#open().read(bytes, 0, SLOT_BYTES, HEADER_BYTES + slot * SLOT_BYTES)
    return bytes.readInt32BE(0)
  }

  #open(): DiskFile {
    if (this.#file !== undefined) return this.#file
    const file = this.#disk.open(this.path, { create: this.#isNew })
    this.#file = file
    if (this.#isNew && file.size() !== this.byteLength) file.truncate(this.byteLength)
    this.#isNew = false
    return file
  }

  #allocateSlots(): Int32Array {
    this.#slots = new Int32Array(this.#sizes.slotCount)
    return this.#slots
  }

  /** Number of the first entry of a record at or behind `physicalOffset`; `count` when there is none. All must be written. */
  #firstEntryFrom(physicalOffset: number): number {
    let low = 1
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#entryPhysicalOffset(middle) >= physicalOffset) high = middle
      else low = middle + 1
    }
    return low
  }

  #entryPhysicalOffset(number: number): number {
    const bytes = Buffer.alloc(8)
    this.#open().readSync(bytes, 0, 8, this.#entryPosition(number) + 4)
    return bytes.readInt32BE(0) * TWO_32 + bytes.readUInt32BE(4)
  }

  #entryPosition(number: number): number {
    return HEADER_BYTES + this.#sizes.slotCount * SLOT_BYTES + number * ENTRY_BYTES
  }

  /** Room for more pending entries: writes what is settled, else grows. A failing write is met again by the next timed one. */
  #makeRoom(): void {
    try {
      this.writeEntries()
    } catch {
      // The entries stay pending; appends stop as soon as the store learns of the failure.
    }
    const used = (this.count - this.#writtenCount) * ENTRY_BYTES
    if (used + ENTRY_BYTES <= this.#pending.byteLength) return
    const grown = new Uint8Array(Math.max(PENDING_ENTRIES * ENTRY_BYTES, this.#pending.byteLength * 2))
    grown.set(new Uint8Array(this.#pending.buffer, 0, used))
    this.#pending = new DataView(grown.buffer)
  }

  #writeHeader(): void {
    const header = Buffer.allocUnsafe(HEADER_BYTES)
    header.writeBigInt64BE(BigInt(this.beginTimestamp), 0)
    header.writeBigInt64BE(BigInt(this.#settledEndTimestamp), 8)
    header.writeBigInt64BE(BigInt(this.beginPhysicalOffset), 16)
    header.writeBigInt64BE(BigInt(this.#settledEndPhysicalOffset), 24)
    header.writeInt32BE(this.#settledSlotsInUse, 32)
    header.writeInt32BE(this.#settledCount, 36)
    this.#open().writeSync(header, 0, HEADER_BYTES, 0)
  }

  #loadPage(page: number): void {
    const slots = this.#slots ?? this.#allocateSlots()
    const first = page * PAGE_SLOTS
    const slotCount = Math.min(PAGE_SLOTS, this.#sizes.slotCount - first)
    const bytes = Buffer.from(slots.buffer, first * SLOT_BYTES, slotCount * SLOT_BYTES)
    this.#open().readSync(bytes, 0, bytes.length, HEADER_BYTES + first * SLOT_BYTES)
    bytes.swap32()
    this.#pageLoaded[page] = 1
  }

  #writePage(page: number): void {
    const first = page * PAGE_SLOTS
    const slotCount = Math.min(PAGE_SLOTS, this.#sizes.slotCount - first)
    const bytes = Buffer.from(new Int32Array(this.#slots!.subarray(first, first + slotCount)).buffer)
    bytes.swap32()
    this.#open().writeSync(bytes, 0, bytes.length, HEADER_BYTES + first * SLOT_BYTES)
    this.#pageDirty[page] = 0
  }
}
