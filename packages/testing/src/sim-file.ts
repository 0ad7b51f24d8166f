import type { Random } from '@rocketmq-ts/runtime'

/** The page cache and the device work in pages; a page can be torn between sectors. */
export const PAGE_BYTES = 4096
const SECTOR_BYTES = 512

type Pages = Map<number, Buffer>

/**
 * The content of one simulated file: what the kernel has (`current`) and what the device has (`durable`). Pages that are nowhere are zero.
 */
export class SimContent {
  size = 0
  readonly #current: Pages = new Map()
  #durable: Pages = new Map()
  #durableSize = 0
  /** Pages that differ, or may differ, from the device. */
  readonly #dirty = new Set<number>()
  modifiedAtMs = 0

  /** Pages that take space. */
  get pageCount(): number {
    return this.#current.size
  }

  /** Pages that a write would newly take. */
  newPages(length: number, position: number): number {
    let count = 0
    for (let page = Math.floor(position / PAGE_BYTES); page * PAGE_BYTES < position + length; page++) {
      if (!this.#current.has(page)) count++
    }
    return count
  }

  read(target: Buffer, targetOffset: number, length: number, position: number): number {
    const count = Math.max(0, Math.min(length, this.size - position))
    for (let done = 0; done < count; ) {
      const at = position + done
      const inPage = at % PAGE_BYTES
      const part = Math.min(count - done, PAGE_BYTES - inPage)
      const page = this.#current.get(Math.floor(at / PAGE_BYTES))
      if (page === undefined) target.fill(0, targetOffset + done, targetOffset + done + part)
      else page.copy(target, targetOffset + done, inPage, inPage + part)
      done += part
    }
    return count
  }

  write(source: Buffer, sourceOffset: number, length: number, position: number): void {
    for (let done = 0; done < length; ) {
      const at = position + done
      const number = Math.floor(at / PAGE_BYTES)
      const inPage = at % PAGE_BYTES
      const part = Math.min(length - done, PAGE_BYTES - inPage)
      source.copy(this.#writablePage(number), inPage, sourceOffset + done, sourceOffset + done + part)
      done += part
    }
    this.size = Math.max(this.size, position + length)
  }

  truncate(size: number): void {
    if (size < this.size) {
      const last = Math.ceil(size / PAGE_BYTES)
      for (const number of [...this.#current.keys()]) {
        if (number < last) continue
        this.#current.delete(number)
        this.#dirty.add(number)
      }
      if (size % PAGE_BYTES !== 0 && this.#current.has(last - 1))
        this.#writablePage(last - 1).fill(0, size % PAGE_BYTES)
    }
    this.size = size
  }

  /** What a sync that begins now will make durable. */
  captureDirty(): () => void {
    const captured = [...this.#dirty].map(number => [number, copyOf(this.#current.get(number))] as const)
    const size = this.size
    this.#dirty.clear()
    return () => {
      for (const [number, page] of captured) {
        if (page === undefined) this.#durable.delete(number)
        else this.#durable.set(number, page)
      }
      this.#durableSize = size
    }
  }

  /**
   * Loses power: each page that wasn't synced is on the device as it was, as it is, or torn; the size likewise.
   * `captured` are pages of syncs that hadn't finished, which count as unsynced.
   */
  losePower(random: Random): void {
    for (const number of this.#unsyncedPages()) {
      const old = this.#durable.get(number)
      const now = this.#current.get(number)
      const page = settlePage(old, now, random)
      if (page === undefined) this.#current.delete(number)
      else this.#current.set(number, page)
    }
    this.size = random.int(2) === 0 ? this.#durableSize : this.size
    this.truncate(this.size)
    this.#durable = new Map([...this.#current].map(([number, page]) => [number, Buffer.from(page)]))
    this.#durableSize = this.size
    this.#dirty.clear()
  }

  #unsyncedPages(): number[] {
    const numbers = new Set([...this.#current.keys(), ...this.#durable.keys()])
    return [...numbers].filter(number => {
      const now = this.#current.get(number)
      const old = this.#durable.get(number)
      return !(now !== undefined && old !== undefined && now.equals(old))
    })
  }

  #writablePage(number: number): Buffer {
    let page = this.#current.get(number)
    if (page === undefined) {
      page = Buffer.alloc(PAGE_BYTES)
      this.#current.set(number, page)
    }
    this.#dirty.add(number)
    return page
  }
}

function copyOf(page: Buffer | undefined): Buffer | undefined {
  return page === undefined ? undefined : Buffer.from(page)
}

/** Old, new, or sectors of either. */
function settlePage(old: Buffer | undefined, now: Buffer | undefined, random: Random): Buffer | undefined {
  const kind = random.int(3)
  if (kind === 0) return copyOf(old)
  if (kind === 1) return copyOf(now)
  const page = Buffer.alloc(PAGE_BYTES)
  for (let at = 0; at < PAGE_BYTES; at += SECTOR_BYTES) {
    const from = random.int(2) === 0 ? old : now
    from?.copy(page, at, at, at + SECTOR_BYTES)
  }
  return page
}
