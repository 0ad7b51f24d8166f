import { SegmentedLog, type SegmentedLogContext } from '../segment/segmented-log.ts'

/**
 * Consume queue extension: what a filter needs beside the entry. Units lie packed one behind the other:
 *
 *   [i16 unit size][i64 tags code][i64 store timestamp][i16 bit map size][bit map]
 *
 * An entry's tags code then holds the unit's address, `a − 2^63`. A unit that would leave fewer than 4 bytes in its file goes to
 * the next one; an i16 −1 marks the end.
 * Source: ConsumeQueueExt, 5.3.x.
 */
export interface ExtUnit {
  readonly tagsHigh: number
  readonly tagsLow: number
  readonly storeTimestamp: number
  readonly bitMap: Buffer | undefined
}

const UNIT_HEAD_BYTES = 20
const UNIT_MAX_BYTES = 32_767
const END_MARK_BYTES = 4
const TWO_32 = 4294967296

/** High word of the tags code field that holds `address`. The low word is that of the address. */
export function extAddressHigh(address: number): number {
  return Math.floor(address / TWO_32) | 0x80000000
}

/** True when a tags code field is an address: below every int32. */
export function isExtAddress(tagsHigh: number, tagsLow: number): boolean {
  return tagsHigh < -1 || (tagsHigh === -1 && tagsLow >= 0)
}

export function extAddressOf(tagsHigh: number, tagsLow: number): number {
  return (tagsHigh & 0x7fffffff) * TWO_32 + (tagsLow >>> 0)
}

/** The units of one queue. Appended units stay in memory until `writeUnits`. */
export class ConsumeQueueExt {
  readonly log: SegmentedLog
  /** Address of the next unit. */
  #end = 0
  #settledEnd = 0
  #writtenEnd = 0
  /** Bytes from `#writtenEnd` to `#end`. */
  #pending: Buffer = Buffer.alloc(0)

  constructor(context: SegmentedLogContext, directory: string, fileSizeBytes: number) {
    this.log = new SegmentedLog(context, directory, fileSizeBytes)
  }

  /** Adds a unit; returns its address. A bit map too large for a unit is left out. */
  append(tagsHigh: number, tagsLow: number, storeTimestamp: number, bitMap: Buffer | undefined): number {
    const map = bitMap !== undefined && UNIT_HEAD_BYTES + bitMap.length <= UNIT_MAX_BYTES ? bitMap : undefined
    const size = UNIT_HEAD_BYTES + (map?.length ?? 0)
    const fileSize = this.log.fileSizeBytes
    const left = fileSize - (this.#end % fileSize)
    if (size > left - END_MARK_BYTES) {
      this.#reserve(left)
      this.#pending.writeInt16BE(-1, this.#end - this.#writtenEnd)
      this.#end += left
    }
    this.#reserve(size)
    const at = this.#end - this.#writtenEnd
    this.#pending.writeInt16BE(size, at)
    this.#pending.writeInt32BE(tagsHigh, at + 2)
    this.#pending.writeInt32BE(tagsLow, at + 6)
    this.#pending.writeInt32BE(Math.floor(storeTimestamp / TWO_32), at + 10)
    this.#pending.writeInt32BE(storeTimestamp | 0, at + 14)
    this.#pending.writeInt16BE(map?.length ?? 0, at + 18)
    if (map !== undefined) this.#pending.set(map, at + UNIT_HEAD_BYTES)
    const address = this.#end
    this.#end += size
    return address
  }

  /** The unit at `address`, or undefined when there is none. */
  get(address: number): ExtUnit | undefined {
    const head = this.#bytesAt(address, UNIT_HEAD_BYTES)
    if (head === undefined) return undefined
    const size = head.readInt16BE(0)
    const mapSize = head.readInt16BE(18)
    if (size < UNIT_HEAD_BYTES || mapSize !== size - UNIT_HEAD_BYTES) return undefined
    return {
      tagsHigh: head.readInt32BE(2),
      tagsLow: head.readInt32BE(6),
      storeTimestamp: head.readInt32BE(10) * TWO_32 + head.readUInt32BE(14),
      bitMap: mapSize === 0 ? undefined : this.#bytesAt(address + UNIT_HEAD_BYTES, mapSize),
    }
  }

  settle(): void {
    this.#settledEnd = this.#end
  }

  rollBack(): void {
    this.#end = this.#settledEnd
  }

  /** Writes the settled units. Throws `DISK_FULL` or `DISK_FAILED`. */
  writeUnits(): void {
    const length = this.#settledEnd - this.#writtenEnd
    if (length === 0) return
    this.log.writeSync(this.#pending, 0, length, this.#writtenEnd)
    const rest = this.#pending.subarray(length, this.#end - this.#writtenEnd)
    this.#pending = Buffer.from(rest)
    this.#writtenEnd = this.#settledEnd
  }

  /** Finds the last valid unit, looking at the last three files. `isCut`: the power was lost, lengths of files may be gone. */
  recover(isCut: boolean): void {
    this.log.load(isCut ? { completeFrom: 0 } : {})
    const first = this.log.segments[Math.max(0, this.log.segments.length - 3)]
    this.#setEnd(first === undefined ? 0 : this.#scan(first.startOffset))
    this.log.removeFrom(this.#end)
  }

  /** Forgets the units behind the one at `lastAddress` (−1: all of them). */
  truncateAfter(lastAddress: number): void {
    const unit = lastAddress < 0 ? undefined : this.get(lastAddress)
    const end = unit === undefined ? this.log.startOffset : lastAddress + UNIT_HEAD_BYTES + (unit.bitMap?.length ?? 0)
    if (end < this.#end) this.#setEnd(end)
  }

  /** Removes the files whose units all lie before `firstAddress`, never the last. */
  removeBefore(firstAddress: number): void {
    const { log } = this
    while (log.segments.length > 1 && log.segments[1]!.startOffset <= firstAddress) log.removeFirst()
  }

  #setEnd(end: number): void {
    this.#end = end
    this.#settledEnd = end
    this.#writtenEnd = end
    this.#pending = Buffer.alloc(0)
  }

  #scan(from: number): number {
    const { log } = this
    const block = Buffer.allocUnsafe(Math.min(log.fileSizeBytes, 1024 * 1024))
    let end = from
    for (let address = from; address < log.limitOffset; ) {
      const fileEnd = address - (address % log.fileSizeBytes) + log.fileSizeBytes
      const got = log.readSync(block, 0, Math.min(block.length, fileEnd - address), address)
      const scanned = scanUnits(block, got)
      end = address + scanned.length
      if (scanned.isFileEnd) address = fileEnd
      else if (scanned.length > 0 && scanned.needsMore) address = end
      else break
    }
    return end
  }

  #reserve(size: number): void {
    const needed = this.#end - this.#writtenEnd + size
    if (needed <= this.#pending.length) {
      this.#pending.fill(0, this.#end - this.#writtenEnd, needed)
      return
    }
    const grown = Buffer.alloc(Math.max(256, needed * 2))
    this.#pending.copy(grown, 0, 0, this.#end - this.#writtenEnd)
    this.#pending = grown
  }

  #bytesAt(address: number, length: number): Buffer | undefined {
    if (address < this.log.startOffset || address + length > this.#end) return undefined
    if (address >= this.#writtenEnd) {
      return this.#pending.subarray(address - this.#writtenEnd, address - this.#writtenEnd + length)
    }
    const bytes = Buffer.allocUnsafe(length)
    return this.log.readSync(bytes, 0, length, address) === length ? bytes : undefined
  }
}

/** Walks the units of a block: the bytes that are whole valid units, and what stopped the walk. */
function scanUnits(block: Buffer, length: number): { length: number; isFileEnd: boolean; needsMore: boolean } {
  let at = 0
  while (at + 2 <= length) {
    const size = block.readInt16BE(at)
    if (size === -1) return { length: at, isFileEnd: true, needsMore: false }
    if (size < UNIT_HEAD_BYTES) return { length: at, isFileEnd: false, needsMore: false }
    if (at + size > length) return { length: at, isFileEnd: false, needsMore: true }
    if (block.readInt16BE(at + 18) !== size - UNIT_HEAD_BYTES) return { length: at, isFileEnd: false, needsMore: false }
    at += size
  }
  return { length: at, isFileEnd: false, needsMore: true }
}
