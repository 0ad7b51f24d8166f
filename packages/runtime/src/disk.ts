/**
 * The only door to files. Two implementations: {@link realDisk} here, and the simulated one of `testing`, which loses
 * unsynced writes, tears them, and fails with ENOSPC or EIO by seed.
 *
 * Failures are `RocketMqError`s: `DISK_FULL` for ENOSPC and EDQUOT, `DISK_FAILED` for everything else; the original error is the
 * cause and `details.path` names the file. A missing file is no failure where the signature says `undefined`.
 */
export interface Disk {
  /** Opens for reading and writing; `create` makes the file (not its directories) when absent. */
  open(path: string, options?: { create?: boolean }): DiskFile
  /** Undefined when there is nothing at `path`. */
  stat(path: string): DiskStat | undefined
  /** Names in a directory, sorted; undefined when it does not exist. Throws `DISK_FAILED` when `path` is a file. */
  list(path: string): DiskEntry[] | undefined
  /** Creates the directory and its parents. No error when it exists. */
  makeDirectory(path: string): void
  /** Removes a file; no error when absent. */
  removeFile(path: string): void
  /** Removes a directory with all it holds; no error when absent. */
  removeDirectory(path: string): void
  rename(from: string, to: string): void
  /** Whole content; undefined when absent. */
  readFile(path: string): Buffer | undefined
  /** Replaces the content in place. Not atomic: a crash may leave any prefix. `sync` waits for the device. */
  writeFile(path: string, content: Buffer | string, options?: { sync?: boolean }): void
  /** Makes creations, renames and removals in this directory durable. */
  syncDirectory(path: string): void
  /** Of the partition that holds `path` (or its nearest existing parent). Bytes; undefined when unknown. */
  usage(path: string): DiskUsage | undefined
  /**
   * Takes the exclusive lock of a store directory, in the form that the Java broker honours, and in which we honour Java's.
   * Throws `STORE_LOCKED` naming the holder's process id when known. The file holds the text `lock`.
   */
  lock(path: string): DiskLock
  /**
   * Names the life of the page cache: while it stays the same, everything that was written is there, synced or not. Empty when
   * unknown, which counts as a different life each time.
   */
  bootId(): string
  /** How many files and sockets the process may have open at once; undefined when unknown. */
  openFilesLimit(): number | undefined
}

export interface DiskStat {
  readonly size: number
  readonly modifiedAtMs: number
  readonly isDirectory: boolean
}

export interface DiskEntry {
  readonly name: string
  readonly isDirectory: boolean
}

export interface DiskUsage {
  readonly totalBytes: number
  readonly usedBytes: number
  /** Usable by this process. */
  readonly availableBytes: number
}

export interface DiskLock {
  release(): void
}

/**
 * One open file. Reads and writes are positional and whole: `writeSync` returns only when all bytes are handed to the
 * kernel (page cache), so that a killed process loses nothing it has written; power loss may, until `sync` resolves.
 */
export interface DiskFile {
  readonly path: string
  /** Bytes read; fewer than `length` only at the end of the file. */
  readSync(target: Buffer, targetOffset: number, length: number, position: number): number
  /** The same without blocking the event loop. */
  read(target: Buffer, targetOffset: number, length: number, position: number): Promise<number>
  writeSync(source: Buffer, sourceOffset: number, length: number, position: number): void
  /** Gathers `sources` into one write at `position`. */
  writeVectorSync(sources: readonly Buffer[], position: number): void
  size(): number
  /** Sets the size; growth is sparse zeros. */
  truncate(size: number): void
  /** fdatasync off the loop: resolves when every byte written before the call is on the device. */
  sync(): Promise<void>
  syncSync(): void
  close(): void
}
