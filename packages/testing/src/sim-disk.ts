import {
  type Disk,
  type DiskEntry,
  type DiskFile,
  type DiskLock,
  type DiskStat,
  type DiskUsage,
  type Random,
  RocketMqError,
} from '@rocketmq-ts/runtime'
import { PAGE_BYTES, SimContent } from './sim-file.ts'

/** Everything that changes the disk, one name per kind; a hook sees each before it happens. */
export type SimOperation = 'create' | 'write' | 'truncate' | 'remove' | 'rename' | 'sync' | 'make-directory'

export interface SimDiskOptions {
  readonly random: Random
  readonly now: () => number
  /** Space for file contents. Default: no limit. */
  readonly capacityBytes?: number
}

/**
 * Called before each change. Throws {@link PowerOff} to end the life of the process right there, or returns a fault to let the operation
 * fail.
 */
export type SimHook = (operation: SimOperation, path: string) => 'EIO' | 'ENOSPC' | undefined

/** Thrown by a hook: nothing after this happens on the disk until {@link SimDisk.restart}. */
export class PowerOff extends Error {
  override readonly name = 'PowerOff'
}

/**
 * A disk in memory. Content and names have a volatile and a durable side: a killed process loses nothing of either, power loss takes, by
 * seed, what wasn't synced. A write during which the life ends may be there in part.
 */
export class SimDisk implements Disk {
  readonly #options: SimDiskOptions
  /** Undefined content: a directory. */
  #names = new Map<string, SimContent | undefined>([['/', undefined]])
  /** Names as the device has them, per directory synced. */
  #durableNames = new Map<string, SimContent | undefined>([['/', undefined]])
  /** Open files of an earlier life are dead. */
  #life = 0
  #isOff = false
  #boot = 0
  readonly #locks = new Set<string>()
  hook: SimHook | undefined
  /** Changes so far; a test that ends the life at each of them counts here first. */
  changeCount = 0

  constructor(options: SimDiskOptions) {
    this.#options = options
  }

  /** True from a {@link PowerOff} to the restart. */
  get isOff(): boolean {
    return this.#isOff
  }

  /** The next life of the process, after a kill: what was written is there. */
  restart(): void {
    this.#life++
    this.#isOff = false
    this.#locks.clear()
    this.hook = undefined
  }

  /** The next life after power loss: what was synced is there; the rest by seed. */
  restartAfterPowerLoss(): void {
    const { random } = this.#options
    const names = new Map(this.#durableNames)
    for (const [path, content] of this.#names) {
      if (!names.has(path) && random.int(2) === 0) names.set(path, content)
    }
    for (const [path, content] of this.#durableNames) {
      if (!this.#names.has(path) && path !== '/' && content !== undefined && random.int(2) === 0) names.delete(path)
    }
    for (const path of [...names.keys()].sort()) {
      if (path !== '/' && !names.has(parentOf(path))) names.delete(path)
    }
    for (const content of new Set(names.values())) content?.losePower(random)
    this.#names = names
    this.#durableNames = new Map(names)
    this.#boot++
    this.restart()
  }

  open(path: string, options: { create?: boolean } = {}): DiskFile {
    this.#mustLive()
    let content = this.#names.get(path)
    if (content === undefined) {
      if (!options.create || this.#names.has(path)) throw failure('open', path, 'ENOENT')
      content = this.#create(path)
    }
    return this.#fileOf(path, content)
  }

  stat(path: string): DiskStat | undefined {
    this.#mustLive()
    if (!this.#names.has(path)) return undefined
    const content = this.#names.get(path)
    return {
      size: content?.size ?? 0,
      modifiedAtMs: content?.modifiedAtMs ?? 0,
      isDirectory: content === undefined,
    }
  }

  list(path: string): DiskEntry[] | undefined {
    this.#mustLive()
    if (!this.#names.has(path)) return undefined
    const prefix = path === '/' ? '/' : `${path}/`
    return [...this.#names]
      .filter(([name]) => name !== '/' && name.startsWith(prefix) && !name.slice(prefix.length).includes('/'))
      .map(([name, content]) => ({ name: name.slice(prefix.length), isDirectory: content === undefined }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  makeDirectory(path: string): void {
    this.#mustLive()
    if (this.#names.has(path)) return
    if (path !== '/') this.makeDirectory(parentOf(path))
    this.#change('make-directory', path)
    this.#names.set(path, undefined)
  }

  removeFile(path: string): void {
    this.#mustLive()
    if (this.#names.get(path) === undefined) return
    this.#change('remove', path)
    this.#names.delete(path)
  }

  removeDirectory(path: string): void {
    this.#mustLive()
    const inside = [...this.#names.keys()].filter(name => name === path || name.startsWith(`${path}/`))
    // Deepest first, each a step of its own: a crash may leave any part of it.
    for (const name of inside.sort().reverse()) {
      this.#change('remove', name)
      this.#names.delete(name)
    }
  }

  rename(from: string, to: string): void {
    this.#mustLive()
    if (!this.#names.has(from)) throw failure('rename', from, 'ENOENT')
    this.#change('rename', from)
    this.#names.set(to, this.#names.get(from))
    this.#names.delete(from)
  }

  readFile(path: string): Buffer | undefined {
    this.#mustLive()
    const content = this.#names.get(path)
    if (content === undefined) return undefined
    const bytes = Buffer.alloc(content.size)
    content.read(bytes, 0, bytes.length, 0)
    return bytes
  }

  writeFile(path: string, content: Buffer | string, options: { sync?: boolean } = {}): void {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
    const file = this.open(path, { create: true })
    file.truncate(0)
    file.writeSync(bytes, 0, bytes.length, 0)
    if (options.sync) file.syncSync()
    file.close()
  }

  syncDirectory(path: string): void {
    this.#mustLive()
    this.#change('sync', path)
    const isChild = (name: string) => name !== '/' && parentOf(name) === path
    for (const name of [...this.#durableNames.keys()]) if (isChild(name)) this.#durableNames.delete(name)
    for (const [name, content] of this.#names) if (isChild(name)) this.#durableNames.set(name, content)
  }

  usage(): DiskUsage | undefined {
    const { capacityBytes } = this.#options
    if (capacityBytes === undefined) return undefined
    const usedBytes = this.#usedPages() * PAGE_BYTES
    return { totalBytes: capacityBytes, usedBytes, availableBytes: Math.max(0, capacityBytes - usedBytes) }
  }

  lock(path: string): DiskLock {
    this.#mustLive()
    if (this.#locks.has(path)) throw new RocketMqError('STORE_LOCKED', `${path} is locked`)
    if (!this.#names.has(path)) this.writeFile(path, 'lock')
    this.#locks.add(path)
    const life = this.#life
    return {
      release: () => {
        if (life === this.#life) this.#locks.delete(path)
      },
    }
  }

  bootId(): string {
    return `boot-${this.#boot}`
  }

  openFilesLimit(): number | undefined {
    return undefined
  }

  /** Names of all files, for a test to look at. */
  paths(): string[] {
    return [...this.#names].filter(([, content]) => content !== undefined).map(([path]) => path)
  }

  #create(path: string): SimContent {
    const parent = parentOf(path)
    if (!this.#names.has(parent) || this.#names.get(parent) !== undefined) throw failure('open', path, 'ENOENT')
    this.#change('create', path)
    const content = new SimContent()
    content.modifiedAtMs = this.#options.now()
    this.#names.set(path, content)
    return content
  }

  #fileOf(path: string, content: SimContent): DiskFile {
    const life = this.#life
    let isClosed = false
    const check = () => {
      if (life !== this.#life || isClosed) throw failure('use', path, 'EBADF')
      this.#mustLive()
    }
    const file: DiskFile = {
      path,
      readSync: (target, targetOffset, length, position) => {
        check()
        return content.read(target, targetOffset, length, position)
      },
      read: async (target, targetOffset, length, position) => {
        check()
        return content.read(target, targetOffset, length, position)
      },
      writeSync: (source, sourceOffset, length, position) => {
        check()
        this.#write(path, content, source, sourceOffset, length, position)
      },
      writeVectorSync: (sources, position) => {
        const all = Buffer.concat([...sources])
        file.writeSync(all, 0, all.length, position)
      },
      size: () => {
        check()
        return content.size
      },
      truncate: size => {
        check()
        this.#change('truncate', path)
        content.truncate(size)
        content.modifiedAtMs = this.#options.now()
      },
      sync: async () => {
        check()
        this.#change('sync', path)
        const finish = content.captureDirty()
        // Writes may happen before the device is done; they are not covered.
        await Promise.resolve()
        await Promise.resolve()
        check()
        finish()
      },
      syncSync: () => {
        check()
        this.#change('sync', path)
        content.captureDirty()()
      },
      close: () => {
        isClosed = true
      },
    }
    return file
  }

  #write(
    path: string,
    content: SimContent,
    source: Buffer,
    sourceOffset: number,
    length: number,
    position: number,
  ): void {
    const { random, now } = this.#options
    // The kernel looks for a kill between two pages, never within one.
    const pages = Math.floor((position + length) / PAGE_BYTES) - Math.floor(position / PAGE_BYTES)
    const cut = random.int(pages + 2)
    const boundary = (Math.floor(position / PAGE_BYTES) + cut) * PAGE_BYTES
    const part = cut === 0 ? 0 : Math.min(length, boundary - position)
    try {
      this.#change('write', path)
    } catch (error) {
      content.write(source, sourceOffset, part, position)
      throw error
    }
    const { capacityBytes } = this.#options
    if (capacityBytes !== undefined) {
      const used = (this.#usedPages() + content.newPages(length, position)) * PAGE_BYTES
      if (used > capacityBytes && content.newPages(length, position) > 0) {
        const inPage = (PAGE_BYTES - (position % PAGE_BYTES)) % PAGE_BYTES
        if (content.newPages(inPage, position) === 0)
          content.write(source, sourceOffset, Math.min(inPage, length), position)
        throw failure('write', path, 'ENOSPC')
      }
    }
    content.write(source, sourceOffset, length, position)
    content.modifiedAtMs = now()
  }

  #usedPages(): number {
    let pages = 0
    for (const content of new Set(this.#names.values())) pages += content?.pageCount ?? 0
    return pages
  }

  #change(operation: SimOperation, path: string): void {
    this.changeCount++
    let fault: 'EIO' | 'ENOSPC' | undefined
    try {
      fault = this.hook?.(operation, path)
    } catch (error) {
      if (error instanceof PowerOff) this.#isOff = true
      throw error
    }
    if (fault !== undefined) throw failure(operation, path, fault)
  }

  #mustLive(): void {
    if (this.#isOff) throw new PowerOff('the process is dead')
  }
}

function failure(operation: string, path: string, errno: string): RocketMqError {
  const code = errno === 'ENOSPC' ? 'DISK_FULL' : 'DISK_FAILED'
  return new RocketMqError(code, `${operation} of ${path} failed: ${errno}`, { details: { path, operation, errno } })
}

function parentOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash <= 0 ? '/' : path.slice(0, slash)
}
