import { dirname } from 'node:path'
import { type Disk, type DiskFile, type Logger, RocketMqError } from '@rocketmq-ts/runtime'
import type { FileUser, OpenFiles } from './open-files.ts'

/** Name of the file that begins at byte `offset`: 20 decimal digits. */
export function segmentName(offset: number): string {
  return String(offset).padStart(20, '0')
}

/** One file of a log: `sizeBytes` long from the moment it is made (sparse), beginning at byte `startOffset` of the log. */
export class SegmentFile implements FileUser {
  readonly path: string
  readonly startOffset: number
  openFile: DiskFile | undefined = undefined
  ringIndex = -1
  recentlyUsed = false

  constructor(path: string, startOffset: number) {
    this.path = path
    this.startOffset = startOffset
  }
}

export interface SegmentedLogContext {
  readonly disk: Disk
  readonly openFiles: OpenFiles
  readonly logger: Logger
}

/**
 * A log cut into files of one size in one directory, each named by the offset of its first byte. Offsets here are bytes of the
 * whole log; nobody outside deals with positions in files. Directory and files appear with the first write.
 */
export class SegmentedLog {
  readonly directory: string
  readonly fileSizeBytes: number
  readonly #context: SegmentedLogContext
  #segments: SegmentFile[] = []
  #directoryExists = false
  #hasNewNames = false
  #isNewDirectory = false

  constructor(context: SegmentedLogContext, directory: string, fileSizeBytes: number) {
    this.#context = context
    this.directory = directory
    this.fileSizeBytes = fileSizeBytes
  }

  /** Oldest first. */
  get segments(): readonly SegmentFile[] {
    return this.#segments
  }

  /** Offset of the first byte kept; 0 without files. */
  get startOffset(): number {
    return this.#segments.length === 0 ? 0 : this.#segments[0]!.startOffset
  }

  /** Offset behind the last file; 0 without files. */
  get limitOffset(): number {
    const last = this.#segments[this.#segments.length - 1]
    return last === undefined ? 0 : last.startOffset + this.fileSizeBytes
  }

  /**
   * Lists the directory. A last file of length 0 (a crash while it was made) is removed; any other length than the
   * configured one throws `STORE_CORRUPT`; a file that is too short and reaches behind `completeFrom` is completed with zeros instead,
   * because a crash may have kept its length from the device. Names that are no numbers are not ours, and left alone.
   */
  load(options: { completeFrom?: number } = {}): void {
    const entries = this.#context.disk.list(this.directory)
    this.#directoryExists = entries !== undefined
    const names = (entries ?? []).filter(entry => !entry.isDirectory && isFileName(entry.name)).map(({ name }) => name)
    const strangers = (entries?.length ?? 0) - names.length
    if (strangers > 0) this.#context.logger.warn({ path: this.directory, strangers }, 'files of others are ignored')
    this.#segments = []
    for (const [index, name] of names.entries()) {
      const path = `${this.directory}/${name}`
      const size = this.#context.disk.stat(path)?.size ?? 0
      const isLast = index === names.length - 1
      if (size !== this.fileSizeBytes && !this.#repairLength(path, size, isLast, options.completeFrom)) continue
      this.#segments.push(new SegmentFile(path, Number(name)))
    }
  }

  /** True when the file counts after all; false when it was removed. */
  #repairLength(path: string, size: number, isLast: boolean, completeFrom = Number.POSITIVE_INFINITY): boolean {
    const { disk, logger } = this.#context
    const end = Number(path.slice(path.lastIndexOf('/') + 1)) + this.fileSizeBytes
    if (size < this.fileSizeBytes && end > completeFrom) {
      logger.warn({ path, size, expected: this.fileSizeBytes }, 'short file of a log completed')
      const file = disk.open(path)
      file.truncate(this.fileSizeBytes)
      file.close()
      return true
    }
    if (isLast && size === 0) {
      logger.warn({ path }, 'empty file at the end of a log removed')
      disk.removeFile(path)
      return false
    }
    throw new RocketMqError('STORE_CORRUPT', `${path} has ${size} bytes instead of ${this.fileSizeBytes}`, {
      details: { path, size, expected: this.fileSizeBytes },
    })
  }

  /** The file that holds byte `offset`, if there is one. */
  segmentAt(offset: number): SegmentFile | undefined {
    const segments = this.#segments
    const count = segments.length
    if (count === 0) return undefined
    // Without gaps the position follows from the offset.
    const guess = Math.floor((offset - segments[0]!.startOffset) / this.fileSizeBytes)
    const segment = segments[guess]
    if (segment !== undefined && this.#holds(segment, offset)) return segment
    for (let i = count - 1; i >= 0; i--) {
      if (this.#holds(segments[i]!, offset)) return segments[i]
    }
    return undefined
  }

  #holds(segment: SegmentFile, offset: number): boolean {
    return offset >= segment.startOffset && offset < segment.startOffset + this.fileSizeBytes
  }

  /** The opened file of `segment`; use it at once, another call may close it. */
  file(segment: SegmentFile): DiskFile {
    return this.#context.openFiles.acquire(segment)
  }

  /** The file that holds byte `offset`, made at full length when `offset` is in the file after the last. */
  ensureSegment(offset: number): SegmentFile {
    const existing = this.segmentAt(offset)
    if (existing !== undefined) return existing
    const startOffset = this.#startOfNewSegment(offset)
    const { disk } = this.#context
    if (!this.#directoryExists) {
      disk.makeDirectory(this.directory)
      this.#directoryExists = true
      this.#isNewDirectory = true
    }
    const path = `${this.directory}/${segmentName(startOffset)}`
    const segment = new SegmentFile(path, startOffset)
    this.#context.openFiles.create(segment).truncate(this.fileSizeBytes)
    this.#segments.push(segment)
    this.#hasNewNames = true
    return segment
  }

  /** Files follow one another without gaps; the first of a log begins at a multiple of the file size. */
  #startOfNewSegment(offset: number): number {
    const grid = this.#segments.length === 0 ? 0 : this.#segments[0]!.startOffset % this.fileSizeBytes
    return offset - ((offset - grid) % this.fileSizeBytes)
  }

  /** Writes `length` bytes at `offset`, across files where it must. */
  writeSync(source: Buffer, sourceOffset: number, length: number, offset: number): void {
    let done = 0
    while (done < length) {
      const segment = this.ensureSegment(offset + done)
      const position = offset + done - segment.startOffset
      const count = Math.min(length - done, this.fileSizeBytes - position)
      this.file(segment).writeSync(source, sourceOffset + done, count, position)
      done += count
    }
  }

  /** Bytes read; fewer than `length` only where no file follows. */
  readSync(target: Buffer, targetOffset: number, length: number, offset: number): number {
    let done = 0
    while (done < length) {
      const segment = this.segmentAt(offset + done)
      if (segment === undefined) break
      const position = offset + done - segment.startOffset
      const count = Math.min(length - done, this.fileSizeBytes - position)
      const got = this.file(segment).readSync(target, targetOffset + done, count, position)
      done += got
      if (got < count) break
    }
    return done
  }

  /** As `readSync`, off the event loop. */
  async read(target: Buffer, targetOffset: number, length: number, offset: number): Promise<number> {
    let done = 0
    while (done < length) {
      const segment = this.segmentAt(offset + done)
      if (segment === undefined) break
      const position = offset + done - segment.startOffset
      const count = Math.min(length - done, this.fileSizeBytes - position)
      const got = await this.file(segment).read(target, targetOffset + done, count, position)
      done += got
      if (got < count) break
    }
    return done
  }

  /**
   * Makes everything from `offset` on zero and removes the files behind. The first file stays in any case: its name keeps the place of
   * the log. Not while others read.
   */
  truncate(offset: number): void {
    this.removeFrom(offset + 1)
    const last = this.#segments[this.#segments.length - 1]
    if (last === undefined || offset >= last.startOffset + this.fileSizeBytes) return
    const file = this.file(last)
    file.truncate(Math.max(0, offset - last.startOffset))
    file.truncate(this.fileSizeBytes)
  }

  /** Removes the oldest file. */
  removeFirst(): void {
    const first = this.#segments.shift()
    if (first !== undefined) this.#remove(first)
  }

  /** Removes the files that begin at or behind `offset`, except the first. */
  removeFrom(offset: number): void {
    while (this.#segments.length > 1 && this.#segments[this.#segments.length - 1]!.startOffset >= offset) {
      this.#remove(this.#segments.pop()!)
    }
  }

  /** Removes all files and the directory. */
  destroy(): void {
    for (const segment of this.#segments) this.#context.openFiles.release(segment)
    this.#segments = []
    this.#directoryExists = false
    this.#context.disk.removeDirectory(this.directory)
  }

  /** Makes the names of new files durable, in the order of the files; nothing to do when there are none. Blocks. */
  syncNames(): void {
    if (!this.#hasNewNames) return
    this.#hasNewNames = false
    this.#context.disk.syncDirectory(this.directory)
    if (this.#isNewDirectory) this.#context.disk.syncDirectory(dirname(this.directory))
    this.#isNewDirectory = false
  }

  closeFiles(): void {
    for (const segment of this.#segments) this.#context.openFiles.release(segment)
  }

  #remove(segment: SegmentFile): void {
    this.#context.openFiles.release(segment)
    this.#context.disk.removeFile(segment.path)
  }
}

function isFileName(name: string): boolean {
  return /^\d{1,16}$|^0\d{19}$/.test(name) && Number.isSafeInteger(Number(name))
}
