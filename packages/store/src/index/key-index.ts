import { dirname } from 'node:path'
import type { Clock, Disk, Logger } from '@rocketmq-ts/runtime'
import { IndexFile, type IndexFileSizes } from './index-file.ts'

/** A message has at most so many keys beside one for each character of its KEYS. */
const KEYS_UNCOUNTED_MAX = 1

export interface KeyIndexContext {
  readonly disk: Disk
  readonly clock: Clock
  readonly logger: Logger
}

export interface KeyQuery {
  readonly topicHash: number
  readonly key: string
  readonly begin: number
  readonly end: number
  readonly maxCount: number
}

export interface KeyQueryResult {
  /** Ascending. Messages of other keys with the same hash are among them. */
  readonly physicalOffsets: number[]
  /** Store time and offset of the newest indexed message. */
  readonly lastUpdateTimestamp: number
  readonly lastUpdatePhysicalOffset: number
}

/**
 * The hash of `topic#key`, of which `topicHash` is that of `topic#`: Java's hashCode made positive.
 * Source: IndexFile#indexKeyHashMethod, 5.3.x.
 */
export function indexHash(topicHash: number, key: string, from: number, to: number): number {
  let hash = topicHash
  for (let i = from; i < to; i++) hash = (Math.imul(31, hash) + key.charCodeAt(i)) | 0
  return hash < 0 ? (hash === -2147483648 ? 0 : -hash) : hash
}

/** Messages by key and unique key: a sequence of index files, the newest being filled. Appending never touches the disk. */
export class KeyIndex {
  readonly directory: string
  readonly #context: KeyIndexContext
  readonly #sizes: IndexFileSizes
  #files: IndexFile[] = []
  /** Full files whose slots aren't all on disk yet, oldest first; then they are synced. */
  #finishing: IndexFile[] = []
  /** Files made since the last settle, for taking back. */
  #newInTurn = 0
  #directoryExists = false
  #isNewDirectory = false
  #hasNewNames = false

  constructor(context: KeyIndexContext, directory: string, sizes: IndexFileSizes) {
    this.#context = context
    this.directory = directory
    this.#sizes = sizes
  }

  /** Oldest first. */
  get files(): readonly IndexFile[] {
    return this.#files
  }

  /** Physical offset of the newest indexed message; −1 when nothing is indexed. */
  get endPhysicalOffset(): number {
    return this.#files.findLast(file => file.count > 1)?.endPhysicalOffset ?? -1
  }

  /**
   * Reads the headers of all files. Those that `isLost` names are removed: after a crash of a Java broker the slots and entries of a
   * file that wasn't full may not fit together. Names that are no numbers are skipped.
   */
  load(isLost: (file: IndexFile) => boolean): void {
    const { disk, logger } = this.#context
    const entries = disk.list(this.directory)
    this.#directoryExists = entries !== undefined
    for (const entry of entries ?? []) {
      if (entry.isDirectory || !/^\d{1,20}$/.test(entry.name)) continue
      const file = new IndexFile(disk, `${this.directory}/${entry.name}`, this.#sizes)
      file.load()
      if (isLost(file)) {
        logger.warn({ path: file.path }, 'index file removed after a crash')
        file.close()
        disk.removeFile(file.path)
      } else {
        this.#files.push(file)
      }
    }
  }

  /** Indexes one message under its unique key and each of its keys (separated by blanks). */
  put(
    topicHash: number,
    uniqueKey: string | undefined,
    keys: string | undefined,
    physicalOffset: number,
    storeTimestamp: number,
  ): void {
    this.#ensureRoom(uniqueKey, keys)
    if (uniqueKey !== undefined && uniqueKey.length > 0) {
      this.#putHash(indexHash(topicHash, uniqueKey, 0, uniqueKey.length), physicalOffset, storeTimestamp)
    }
    if (keys === undefined || keys.length === 0) return
    for (let from = 0; from < keys.length; ) {
      let to = keys.indexOf(' ', from)
      if (to < 0) to = keys.length
      if (to > from) this.#putHash(indexHash(topicHash, keys, from, to), physicalOffset, storeTimestamp)
      from = to + 1
    }
  }

  /** The records of this turn are in the log. */
  settle(): void {
    if (this.#newInTurn > 0) {
      for (const file of this.#files.slice(-1 - this.#newInTurn)) file.settle()
      this.#newInTurn = 0
    } else {
      this.#files[this.#files.length - 1]?.settle()
    }
  }

  /** The records of this turn couldn't be written. */
  rollBack(): void {
    for (; this.#newInTurn > 0; this.#newInTurn--) {
      this.#files.pop()
      const previous = this.#files[this.#files.length - 1]
      if (previous !== undefined) this.#finishing = this.#finishing.filter(file => file !== previous)
    }
    this.#files[this.#files.length - 1]?.rollBack()
  }

  /** Writes the entries that are settled. Throws `DISK_FULL` or `DISK_FAILED`. */
  writeEntries(): void {
    if (!this.#directoryExists && this.#files.length > 0) {
      this.#context.disk.makeDirectory(this.directory)
      this.#directoryExists = true
      this.#isNewDirectory = true
    }
    for (const file of this.#finishing) file.writeEntries()
    this.#files[this.#files.length - 1]?.writeEntries()
  }

  /**
   * Writes up to `pageCount` changed slot pages. Returns a full file that is now complete but not yet synced; the caller syncs it and then
   * calls {@link finish}.
   */
  writeSlots(pageCount: number): IndexFile | undefined {
    const [file] = this.#finishing
    if (file === undefined) {
      this.#files[this.#files.length - 1]?.writeSlots(pageCount)
      return undefined
    }
    if (file.isComplete) return undefined
    file.writeSlots(pageCount)
    if (file.dirtyPageCount > 0) return undefined
    file.isComplete = true
    return file
  }

  /** A complete file is on the device. */
  finish(file: IndexFile): void {
    this.#finishing = this.#finishing.filter(other => other !== file)
    file.forgetSlots()
  }

  /** Changed slot pages of all files. */
  get dirtyPageCount(): number {
    let count = this.#files[this.#files.length - 1]?.dirtyPageCount ?? 0
    for (const file of this.#finishing) count += file.dirtyPageCount
    return count
  }

  /** The slots on disk know all entries of records before this offset; for the resume point. */
  get slotsWrittenOffset(): number {
    return (this.#finishing[0] ?? this.#files[this.#files.length - 1])?.slotsWrittenOffset ?? 0
  }

  /** Brings what was written of unfinished files, and the names of new ones, to the device. All entries must be written. */
  async sync(): Promise<void> {
    const { disk } = this.#context
    if (this.#hasNewNames) {
      disk.syncDirectory(this.directory)
      if (this.#isNewDirectory) disk.syncDirectory(dirname(this.directory))
      this.#isNewDirectory = false
      this.#hasNewNames = false
    }
    for (const file of [...this.#finishing, ...this.#files.slice(-1)]) await file.sync()
  }

  /** Writes all changed slot pages; nothing may be unsettled. */
  writeAllSlots(): void {
    for (const file of [...this.#finishing, ...this.#files.slice(-1)]) {
      // The first call ends a round that may have begun earlier, the second is a whole one.
      file.writeSlots(Number.MAX_SAFE_INTEGER)
      file.writeSlots(Number.MAX_SAFE_INTEGER)
    }
    this.#finishing = []
  }

  /**
   * Messages by key. Source: IndexService#queryOffset, 5.3.x; the chain of a slot is walked from the newest entry, the files from the
   * newest.
   */
  async query(query: KeyQuery): Promise<KeyQueryResult> {
    const hash = indexHash(query.topicHash, query.key, 0, query.key.length)
    const found: number[] = []
    const last = this.#files[this.#files.length - 1]
    if (last !== undefined) this.writeEntries()
    for (const file of [...this.#files].reverse()) {
      if (file.overlaps(query.begin, query.end)) await file.query(hash, query.begin, query.end, query.maxCount, found)
      if (file.beginTimestamp < query.begin || found.length >= query.maxCount) break
    }
    return {
      physicalOffsets: found.sort((a, b) => a - b),
      lastUpdateTimestamp: last?.endTimestamp ?? 0,
      lastUpdatePhysicalOffset: last?.endPhysicalOffset ?? 0,
    }
  }

  /** Removes the files, never the last, that know only messages before `minPhysicalOffset`. */
  removeBefore(minPhysicalOffset: number): void {
    while (this.#files.length > 1 && this.#files[0]!.endPhysicalOffset < minPhysicalOffset) {
      const file = this.#files.shift()!
      this.#finishing = this.#finishing.filter(other => other !== file)
      file.close()
      this.#context.disk.removeFile(file.path)
    }
  }

  /** After a killed process: slots learn the entries of records from `physicalOffset` on. */
  replaySlots(physicalOffset: number): void {
    for (const file of this.#files) {
      if (file.endPhysicalOffset < physicalOffset) continue
      file.replaySlots(physicalOffset)
      if (file !== this.#files[this.#files.length - 1]) this.#finishing.push(file)
    }
  }

  /** Forgets the entries of records at or behind `physicalOffset`. Only before the first `put`. */
  cutAt(physicalOffset: number): void {
    for (;;) {
      const last = this.#files[this.#files.length - 1]
      if (last === undefined || last.endPhysicalOffset < physicalOffset) return
      if (last.cutAt(physicalOffset) > 0) return
      this.#files.pop()
      last.close()
      this.#context.disk.removeFile(last.path)
    }
  }

  /** Removes everything, to be built again. */
  clear(): void {
    for (const file of this.#files) file.close()
    this.#files = []
    this.#finishing = []
    this.#context.disk.removeDirectory(this.directory)
    this.#directoryExists = false
  }

  close(): void {
    for (const file of this.#files) file.close()
  }

  /** All entries of a message go into one file, so that a crash can't keep a part of them. */
  #ensureRoom(uniqueKey: string | undefined, keys: string | undefined): void {
    const file = this.#files[this.#files.length - 1]
    if (file === undefined || file.freeCount > KEYS_UNCOUNTED_MAX + (keys?.length ?? 0)) return
    const needed = (uniqueKey === undefined ? 0 : 1) + (keys?.split(' ').length ?? 0)
    if (file.freeCount < needed && file.count > 1) this.#addFile(file)
  }

  #putHash(hash: number, physicalOffset: number, storeTimestamp: number): void {
    let file = this.#files[this.#files.length - 1]
    if (file === undefined || file.isFull) file = this.#addFile(file)
    file.put(hash, physicalOffset, storeTimestamp)
  }

  #addFile(previous: IndexFile | undefined): IndexFile {
    let time = this.#context.clock.now()
    let path = `${this.directory}/${indexFileName(time)}`
    while (previous !== undefined && path <= previous.path) path = `${this.directory}/${indexFileName(++time)}`
    const file = new IndexFile(this.#context.disk, path, this.#sizes)
    file.create(previous)
    if (previous !== undefined) this.#finishing.push(previous)
    this.#files.push(file)
    this.#newInTurn++
    this.#hasNewNames = true
    return file
  }
}

/** yyyyMMddHHmmssSSS in local time. */
export function indexFileName(time: number): string {
  const date = new Date(time)
  const pad = (value: number, digits: number) => String(value).padStart(digits, '0')
  return (
    pad(date.getFullYear(), 4) +
    pad(date.getMonth() + 1, 2) +
    pad(date.getDate(), 2) +
    pad(date.getHours(), 2) +
    pad(date.getMinutes(), 2) +
    pad(date.getSeconds(), 2) +
    pad(date.getMilliseconds(), 3)
  )
}
