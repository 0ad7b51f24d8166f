import { dirname } from 'node:path'
import type { Disk } from './disk.ts'
import { RocketMqError } from './errors.ts'

/**
 * A small text file with its previous content beside it as `<path>.bak`, by the rule of the Java broker and name server
 * (topics.json, consumerOffset.json, kvConfig.json …).
 *
 * - Save: the old content goes to `.bak` (nothing on the first save), then the new one to the file; each by way of `.tmp`, in one step.
 * - Load: a missing, empty or unreadable file falls back to `.bak`; both missing is "nothing yet".
 *
 * Unlike Java, which overwrites both files in place, no crash and no full disk leaves a half-written file, and
 * the name always stands for one. A file that turned out unreadable doesn't take the place of the good `.bak`.
 *
 * Source: ConfigManager#load, ConfigManager#persist, MixAll#string2File, 5.3.x
 */
export class BackedUpFile {
  readonly path: string
  readonly backupPath: string
  readonly #disk: Disk
  readonly #temporaryPath: string
  /** The file's content turned out unreadable; `.bak` is better. */
  #isDamaged = false
  #hasDirectory = false
  #hasDurableName = false

  constructor(disk: Disk, path: string) {
    this.#disk = disk
    this.path = path
    this.backupPath = `${path}.bak`
    this.#temporaryPath = `${path}.tmp`
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
        this.#isDamaged = true
        return this.#loadBackup(parse, error)
      }
    }
    return this.#loadBackup(parse, undefined)
  }

  /**
   * Writes `text` and keeps what was there as `.bak`; makes the directory when it is missing. `sync` waits for the device.
   * Throws `DISK_FULL`, `DISK_FAILED`; then the file is as it was.
   */
  save(text: string, options: { sync?: boolean } = {}): void {
    this.#keepOld(options)
    this.#writeTemporary(text, options)
    this.#putInPlace()
  }

  /**
   * As {@link BackedUpFile.save}, but the new text takes the file's place only when it is on the device: power loss,
   * too, leaves the old text or the new. Waits for the device without blocking. Not to be called again before the
   * promise settles. Rejects with `DISK_FULL`, `DISK_FAILED`; then the file is as it was.
   */
  async saveDurably(text: string): Promise<void> {
    this.#keepOld({})
    this.#writeTemporary(text, {})
    const file = this.#disk.open(this.#temporaryPath)
    try {
      await file.sync()
    } finally {
      file.close()
    }
    this.#putInPlace()
    // From then on the name means the old text or the new one.
    if (!this.#hasDurableName) this.#disk.syncDirectory(dirname(this.path))
    this.#hasDurableName = true
  }

  /** Writes beside the file, so that a full disk or a crash leaves what is in place. */
  #writeTemporary(content: Buffer | string, options: { sync?: boolean }): void {
    if (!this.#hasDirectory) this.#disk.makeDirectory(dirname(this.path))
    this.#hasDirectory = true
    try {
      this.#disk.writeFile(this.#temporaryPath, content, options)
    } catch (error) {
      // A full disk needs the room; if even that fails, the next save overwrites the rest.
      try {
        this.#disk.removeFile(this.#temporaryPath)
      } catch {}
      throw error
    }
  }

  #keepOld(options: { sync?: boolean }): void {
    const old = this.#isDamaged ? undefined : this.#disk.readFile(this.path)
    if (old === undefined || old.length === 0) return
    this.#writeTemporary(old, options)
    this.#disk.rename(this.#temporaryPath, this.backupPath)
  }

  #putInPlace(): void {
    this.#disk.rename(this.#temporaryPath, this.path)
    this.#isDamaged = false
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
