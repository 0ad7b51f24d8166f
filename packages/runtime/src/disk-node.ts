import {
  closeSync,
  constants,
  type Dirent,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  read,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
  writevSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { lockDirectory } from './directory-lock-node.ts'
import type { Disk, DiskEntry, DiskFile, DiskLock, DiskStat, DiskUsage } from './disk.ts'
import { RocketMqError } from './errors.ts'

/** The `RocketMqError` for a failed file operation: `DISK_FULL` for ENOSPC and EDQUOT, else `DISK_FAILED`. */
export function diskError(operation: string, path: string, cause: unknown): RocketMqError {
  const errno = errnoCode(cause)
  const code = errno === 'ENOSPC' || errno === 'EDQUOT' ? 'DISK_FULL' : 'DISK_FAILED'
  return new RocketMqError(code, `${operation} of ${path} failed: ${errno ?? String(cause)}`, {
    cause,
    details: { path, operation, errno },
  })
}

function errnoCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

function isAbsent(error: unknown): boolean {
  const errno = errnoCode(error)
  return errno === 'ENOENT' || errno === 'ENOTDIR'
}

/** Runs `action`; its failure becomes a `RocketMqError` that names `operation` and `path`. */
function attempt<T>(operation: string, path: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw diskError(operation, path, error)
  }
}

class NodeDiskFile implements DiskFile {
  readonly path: string
  readonly #fd: number
  #closed = false
  #operationsInFlight = 0

  constructor(path: string, fd: number) {
    this.path = path
    this.#fd = fd
  }

  readSync(target: Buffer, targetOffset: number, length: number, position: number): number {
    let done = 0
    try {
      while (done < length) {
        const count = readSync(this.#fd, target, targetOffset + done, length - done, position + done)
        if (count === 0) break
        done += count
      }
    } catch (error) {
      throw diskError('read', this.path, error)
    }
    return done
  }

  async read(target: Buffer, targetOffset: number, length: number, position: number): Promise<number> {
    let done = 0
    while (done < length) {
      const count = await this.#readOnce(target, targetOffset + done, length - done, position + done)
      if (count === 0) break
      done += count
    }
    return done
  }

  #readOnce(target: Buffer, targetOffset: number, length: number, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#begin('read')
      read(this.#fd, target, targetOffset, length, position, (error, count) => {
        this.#end()
        if (error) reject(diskError('read', this.path, error))
        else resolve(count)
      })
    })
  }

  writeSync(source: Buffer, sourceOffset: number, length: number, position: number): void {
    let done = 0
    try {
      while (done < length) {
        done += writeSync(this.#fd, source, sourceOffset + done, length - done, position + done)
      }
    } catch (error) {
      throw diskError('write', this.path, error)
    }
  }

  writeVectorSync(sources: readonly Buffer[], position: number): void {
    let total = 0
    for (const source of sources) total += source.length
    let written = 0
    try {
      written = writevSync(this.#fd, sources, position)
    } catch (error) {
      throw diskError('write', this.path, error)
    }
    if (written === total) return
    // A short gathered write is rare (an almost full disk); the rest goes one buffer at a time.
    let start = 0
    for (const source of sources) {
      const skip = Math.max(0, written - start)
      if (skip < source.length) this.writeSync(source, skip, source.length - skip, position + start + skip)
      start += source.length
    }
  }

  size(): number {
    return attempt('stat', this.path, () => fstatSync(this.#fd).size)
  }

  truncate(size: number): void {
    attempt('truncate', this.path, () => ftruncateSync(this.#fd, size))
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#begin('sync')
      fdatasync(this.#fd, error => {
        this.#end()
        if (error) reject(diskError('sync', this.path, error))
        else resolve()
      })
    })
  }

  syncSync(): void {
    attempt('sync', this.path, () => fdatasyncSync(this.#fd))
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    if (this.#operationsInFlight === 0) attempt('close', this.path, () => closeSync(this.#fd))
  }

  #begin(operation: string): void {
    if (this.#closed) throw new RocketMqError('DISK_FAILED', `${operation} of ${this.path} failed: the file is closed`)
    this.#operationsInFlight++
  }

  /** The descriptor of a closed file is given back only when no operation uses it any more: its number may be reused at once. */
  #end(): void {
    this.#operationsInFlight--
    if (this.#closed && this.#operationsInFlight === 0) closeSync(this.#fd)
  }
}

class NodeDisk implements Disk {
  open(path: string, options: { create?: boolean } = {}): DiskFile {
    const flags = constants.O_RDWR | (options.create ? constants.O_CREAT : 0)
    return new NodeDiskFile(
      path,
      attempt('open', path, () => openSync(path, flags, 0o644)),
    )
  }

  stat(path: string): DiskStat | undefined {
    const stat = attempt('stat', path, () => statSync(path, { throwIfNoEntry: false }))
    return stat && { size: stat.size, modifiedAtMs: stat.mtimeMs, isDirectory: stat.isDirectory() }
  }

  list(path: string): DiskEntry[] | undefined {
    let entries: Dirent[]
    try {
      entries = readdirSync(path, { withFileTypes: true })
    } catch (error) {
      if (errnoCode(error) === 'ENOENT') return undefined
      throw diskError('list', path, error)
    }
    return entries
      .map(entry => ({ name: entry.name, isDirectory: entry.isDirectory() }))
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  }

  makeDirectory(path: string): void {
    // Mostly one directory is missing, whose parent exists: asking for the whole path costs several calls.
    try {
      mkdirSync(path)
    } catch (error) {
      if (errnoCode(error) === 'EEXIST' && statSync(path).isDirectory()) return
      attempt('mkdir', path, () => mkdirSync(path, { recursive: true }))
    }
  }

  removeFile(path: string): void {
    attempt('remove', path, () => rmSync(path, { force: true }))
  }

  removeDirectory(path: string): void {
    attempt('remove', path, () => rmSync(path, { recursive: true, force: true }))
  }

  rename(from: string, to: string): void {
    attempt('rename', from, () => renameSync(from, to))
  }

  readFile(path: string): Buffer | undefined {
    try {
      return readFileSync(path)
    } catch (error) {
      if (isAbsent(error)) return undefined
      throw diskError('read', path, error)
    }
  }

  writeFile(path: string, content: Buffer | string, options: { sync?: boolean } = {}): void {
    attempt('write', path, () => {
      const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
      const fd = openSync(path, 'w', 0o644)
      try {
        for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, done)
        if (options.sync) fsyncSync(fd)
      } finally {
        closeSync(fd)
      }
    })
  }

  syncDirectory(path: string): void {
    // Windows can't open a directory; its file systems make renames durable by themselves.
    if (process.platform === 'win32') return
    attempt('sync', path, () => {
      const fd = openSync(path, constants.O_RDONLY)
      try {
        fsyncSync(fd)
      } finally {
        closeSync(fd)
      }
    })
  }

  usage(path: string): DiskUsage | undefined {
    for (let current = path; ; current = dirname(current)) {
      try {
        const { bsize, blocks, bfree, bavail } = statfsSync(current)
        return { totalBytes: blocks * bsize, usedBytes: (blocks - bfree) * bsize, availableBytes: bavail * bsize }
      } catch (error) {
        if (!isAbsent(error) || dirname(current) === current) return undefined
      }
    }
  }

  lock(path: string): DiskLock {
    return lockDirectory(path)
  }

  bootId(): string {
    try {
      return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    } catch {
      return ''
    }
  }

  openFilesLimit(): number | undefined {
    return openFilesLimit()
  }
}

/** From the line `Max open files  1024  524288  files`: the first number is what counts; Node has raised it to the second. */
function openFilesLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1')
    const match = /^Max open files\s+(\d+)/m.exec(limits)
    return match === null ? undefined : Number(match[1])
  } catch {
    return undefined
  }
}

/** Node's file system. */
export const realDisk: Disk = new NodeDisk()
