import type { Disk, DiskFile } from '@rocketmq-ts/runtime'
import { RocketMqError } from '@rocketmq-ts/runtime'

/** Who keeps a file open here. The cache clears `openFile` when it needs the descriptor for another. */
export interface FileUser {
  readonly path: string
  openFile: DiskFile | undefined
  /** Position in the cache's ring, -1 while closed. Only the cache sets it. */
  ringIndex: number
  /** Used since the clock hand last passed. Only the cache sets it. */
  recentlyUsed: boolean
}

/**
 * Bounds the number of files open at once: thousands of consume queues have a file each. A second-chance clock picks
 * whom to close. When the system refuses to open one more, the bound sinks to what was possible.
 */
export class OpenFiles {
  readonly #disk: Disk
  #capacity: number
  readonly #ring: FileUser[] = []
  #hand = 0

  constructor(disk: Disk, capacity: number) {
    this.#disk = disk
    this.#capacity = capacity
  }

  get count(): number {
    return this.#ring.length
  }

  /** The file of `user`, opened when it isn't. Valid until the next call; keep the user, not the file. */
  acquire(user: FileUser): DiskFile {
    user.recentlyUsed = true
    if (user.openFile !== undefined) return user.openFile
    while (this.#ring.length >= this.#capacity) this.#evictOne()
    return this.#keep(user, this.#open(user.path, false))
  }

  /** Makes the file of `user`, which isn't open, and opens it. */
  create(user: FileUser): DiskFile {
    while (this.#ring.length >= this.#capacity) this.#evictOne()
    return this.#keep(user, this.#open(user.path, true))
  }

  /** Closes the file of `user` if it is open. */
  release(user: FileUser): void {
    const file = user.openFile
    if (file === undefined) return
    const last = this.#ring.pop()!
    if (last !== user) {
      this.#ring[user.ringIndex] = last
      last.ringIndex = user.ringIndex
    }
    user.openFile = undefined
    user.ringIndex = -1
    file.close()
  }

  closeAll(): void {
    while (this.#ring.length > 0) this.release(this.#ring[this.#ring.length - 1]!)
  }

  #keep(user: FileUser, file: DiskFile): DiskFile {
    user.recentlyUsed = true
    user.openFile = file
    user.ringIndex = this.#ring.length
    this.#ring.push(user)
    return file
  }

  #open(path: string, create: boolean): DiskFile {
    for (;;) {
      try {
        return this.#disk.open(path, { create })
      } catch (error) {
        if (!isTooManyFiles(error) || this.#ring.length === 0) throw error
        this.#capacity = Math.max(1, Math.floor(this.#ring.length * 0.9))
        while (this.#ring.length > this.#capacity) this.#evictOne()
        if (this.#ring.length === this.#capacity) this.#evictOne()
      }
    }
  }

  #evictOne(): void {
    for (;;) {
      if (this.#hand >= this.#ring.length) this.#hand = 0
      const user = this.#ring[this.#hand]!
      if (!user.recentlyUsed) {
        this.release(user)
        return
      }
      user.recentlyUsed = false
      this.#hand++
    }
  }
}

function isTooManyFiles(error: unknown): boolean {
  if (!RocketMqError.is(error)) return false
  const errno = error.details.errno
  return errno === 'EMFILE' || errno === 'ENFILE'
}
