import type { Disk, Logger } from '@rocketmq-ts/runtime'

/** More deletions than this in one file make it worth writing anew. */
const LINES_MAX = 10_000

interface Deletion {
  /** End of the log when the topic was deleted. */
  readonly endOffset: number
  readonly timeMs: number
}

/**
 * The file `deletedTopics`: which records of the log belong to topics that were deleted. The log still has them, so a recovery
 * that builds queues from it would bring them back, into a topic of the same name that was made later.
 *
 * A line per deletion: end of the log at that time, time in ms, name. It is on the device before the queues go. A line without
 * its line feed was not finished and doesn't count. Java's broker ignores the file.
 */
export class DeletedTopics {
  readonly #disk: Disk
  readonly #path: string
  readonly #logger: Logger
  readonly #deletions = new Map<string, Deletion>()
  #lineCount = 0
  #size = 0

  constructor(disk: Disk, directory: string, logger: Logger) {
    this.#disk = disk
    this.#path = `${directory}/deletedTopics`
    this.#logger = logger
  }

  load(): void {
    const lines = (this.#disk.readFile(this.#path)?.toString('utf8') ?? '').split('\n').slice(0, -1)
    for (const line of lines) {
      const match = /^(\d{1,16}) (\d{1,16}) (.+)$/.exec(line)
      if (match === null) {
        this.#logger.warn({ path: this.#path, line: line.slice(0, 200) }, 'a line that names no deletion is ignored')
        continue
      }
      this.#deletions.set(match[3]!, { endOffset: Number(match[1]), timeMs: Number(match[2]) })
    }
    this.#lineCount = lines.length
    this.#size = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
  }

  /** Whether a record of `topic` was there when the topic was deleted. */
  isDeleted(topic: string, physicalOffset: number, storeTimestamp: number): boolean {
    if (this.#deletions.size === 0) return false
    const deletion = this.#deletions.get(topic)
    // A log that lost its end goes on at smaller offsets, but later.
    return deletion !== undefined && physicalOffset < deletion.endOffset && storeTimestamp <= deletion.timeMs
  }

  /** Notes a deletion durably. Throws `DISK_FULL` or `DISK_FAILED`; then it isn't noted. */
  add(topic: string, endOffset: number, timeMs: number): void {
    const previous = this.#deletions.get(topic)
    this.#deletions.set(topic, { endOffset, timeMs })
    try {
      if (this.#lineCount >= LINES_MAX) this.#rewrite()
      else this.#append(lineOf(topic, { endOffset, timeMs }))
    } catch (error) {
      if (previous === undefined) this.#deletions.delete(topic)
      else this.#deletions.set(topic, previous)
      throw error
    }
  }

  /** Recovery found the log from `minOffset` to `endOffset`: deletions of which it holds nothing are forgotten. */
  settle(minOffset: number, endOffset: number): void {
    let isChanged = this.#lineCount > this.#deletions.size
    for (const [topic, deletion] of this.#deletions) {
      if (deletion.endOffset <= minOffset) this.#deletions.delete(topic)
      else if (deletion.endOffset > endOffset) this.#deletions.set(topic, { ...deletion, endOffset })
      else continue
      isChanged = true
    }
    if (isChanged) this.#rewrite()
  }

  #append(line: string): void {
    const isNew = this.#lineCount === 0
    const file = this.#disk.open(this.#path, { create: true })
    try {
      const bytes = Buffer.from(line)
      // Over the rest of a line that a crash cut off.
      if (file.size() > this.#size) file.truncate(this.#size)
      file.writeSync(bytes, 0, bytes.length, this.#size)
      file.syncSync()
      this.#size += bytes.length
      this.#lineCount++
    } finally {
      file.close()
    }
    if (isNew) this.#syncDirectory()
  }

  /** By another name first, so that a crash leaves the old or the new one whole. */
  #rewrite(): void {
    const content = [...this.#deletions].map(([topic, deletion]) => lineOf(topic, deletion)).join('')
    if (content === '') {
      this.#disk.removeFile(this.#path)
    } else {
      this.#disk.writeFile(`${this.#path}.tmp`, content, { sync: true })
      this.#disk.rename(`${this.#path}.tmp`, this.#path)
    }
    this.#syncDirectory()
    this.#lineCount = this.#deletions.size
    this.#size = Buffer.byteLength(content)
  }

  #syncDirectory(): void {
    this.#disk.syncDirectory(this.#path.slice(0, this.#path.lastIndexOf('/')))
  }
}

function lineOf(topic: string, { endOffset, timeMs }: Deletion): string {
  return `${endOffset} ${timeMs} ${topic}\n`
}
