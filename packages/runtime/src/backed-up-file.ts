import { dirname } from 'node:path'
import type { Disk } from './disk.ts'
import { RocketMqError } from './errors.ts'

/**
 * A small text file with its previous content beside it as `<path>.bak`, by the rule of the Java broker and name server
 * (topics.json, consumerOffset.json, kvConfig.json …).
 *
 * - Save: the old content goes to `.bak` (nothing on the first save), then the file is overwritten in place.
 * - Load: a missing, empty or unreadable file falls back to `.bak`; both missing is "nothing yet".
 *
 * A crash in the middle of a save leaves the file half written and `.bak` whole, so one save may be lost, never both.
 * Unlike Java, a file that turned out unreadable is not copied over the good `.bak` by the next save.
 *
 * Source: ConfigManager#load, ConfigManager#persist, MixAll#string2File, 5.3.x
 */
export class BackedUpFile {
  readonly path: string
  readonly backupPath: string
  readonly #disk: Disk
  #keepBackup = false
  #hasDirectory = false
  #hasDurableName = false

  constructor(disk: Disk, path: string) {
    this.#disk = disk
    this.path = path
    this.backupPath = `${path}.bak`
  }

  /**
   * What `parse` makes of the file, else of its `.bak`; undefined when neither has content. `parse` must throw on bad
   * input. Throws `CONFIG_INVALID` when the last resort can't be parsed either, `DISK_FAILED` when it can't be read.
   */
  load<T>(parse: (text: string) => T): T | undefined {
    const text = this.#read(this.path)
    if (text !== undefined) {
      try {
        return parse(text)
      } catch (error) {
        this.#keepBackup = true
        return this.#loadBackup(parse, error)
      }
    }
    return this.#loadBackup(parse, undefined)
  }

  /**
   * Writes `text` and keeps what was there as `.bak`; makes the directory when it is missing. `sync` waits for the device.
   * Throws `DISK_FULL`, `DISK_FAILED`.
   */
  save(text: string, options: { sync?: boolean } = {}): void {
    if (!this.#hasDirectory) this.#disk.makeDirectory(dirname(this.path))
    this.#hasDirectory = true
    const old = this.#keepBackup ? undefined : this.#disk.readFile(this.path)
    if (old !== undefined && old.length > 0) this.#disk.writeFile(this.backupPath, old, options)
    this.#disk.writeFile(this.path, text, options)
    this.#keepBackup = false
  }

  /**
   * As {@link BackedUpFile.save}, but the new text takes the file's place in one step, and only when it is on the device: power loss,
   * too, leaves the file whole, with the old text or the new. Waits for the device without blocking. Not to be called again before the
   * promise settles. Rejects with `DISK_FULL`, `DISK_FAILED`; then the file is as it was.
   */
  async saveDurably(text: string): Promise<void> {
    if (!this.#hasDirectory) this.#disk.makeDirectory(dirname(this.path))
    this.#hasDirectory = true
    const temporaryPath = `${this.path}.tmp`
    this.#disk.writeFile(temporaryPath, text)
    const file = this.#disk.open(temporaryPath)
    try {
      await file.sync()
    } finally {
      file.close()
    }
    const old = this.#keepBackup ? undefined : this.#disk.readFile(this.path)
    this.#disk.rename(temporaryPath, this.path)
    // From then on the name means the old text or the new one; before, it could be lost while a torn `.bak` stays.
    if (!this.#hasDurableName) this.#disk.syncDirectory(dirname(this.path))
    this.#hasDurableName = true
    if (old !== undefined && old.length > 0) this.#disk.writeFile(this.backupPath, old)
    this.#keepBackup = false
  }

  #read(path: string): string | undefined {
    const content = this.#disk.readFile(path)
    return content === undefined || content.length === 0 ? undefined : content.toString('utf8')
  }

  #loadBackup<T>(parse: (text: string) => T, failure: unknown): T | undefined {
    const text = this.#read(this.backupPath)
    if (text === undefined) {
      if (failure === undefined) return undefined
      throw this.#invalid(this.path, failure)
    }
    try {
      return parse(text)
    } catch (error) {
      throw this.#invalid(this.backupPath, error)
    }
  }

  #invalid(path: string, cause: unknown): RocketMqError {
    const why = cause instanceof Error ? cause.message : String(cause)
    return new RocketMqError('CONFIG_INVALID', `${path} can't be read: ${why}`, { cause, details: { path } })
  }
}
