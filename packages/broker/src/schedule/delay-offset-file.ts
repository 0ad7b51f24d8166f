import { delayOffsetWrapper } from '@rocketmq-ts/protocol'
import { BackedUpFile, type Clock, type Disk, type Logger, type Timer } from '@rocketmq-ts/runtime'
import type { MessageStore } from '@rocketmq-ts/store'
import type { DelayOffsets } from './delay-offsets.ts'

/** Java waits this long before the first save, ms. */
const FIRST_SAVE_DELAY_MS = 10_000

export interface DelayOffsetFileDeps {
  readonly offsets: DelayOffsets
  readonly store: Pick<MessageStore, 'watermarks' | 'requestFlush' | 'onFlushed' | 'flush'>
  readonly disk: Disk
  /** `<storePathRootDir>/config`, which exists. */
  readonly directory: string
  readonly clock: Clock
  readonly logger: Logger
  /** Read live. */
  readonly options: { readonly flushDelayOffsetIntervalMs: number }
}

/**
 * Keeps delayOffset.json: every `flushDelayOffsetIntervalMs` when something has changed, and at the end.
 *
 * An offset says that what lies before it needn't be delivered again, so it is written only when the delivered messages are
 * on the device: a power loss, too, repeats messages and loses none. (Java writes it at once.)
 * Source: ScheduleMessageService#start, #persist, 5.3.x
 */
export class DelayOffsetFile {
  readonly #deps: DelayOffsetFileDeps
  readonly #file: BackedUpFile
  #timer: Timer | undefined
  /** Text to be written as soon as the log is flushed up to the offset. */
  #waiting: { readonly text: string; readonly endOffset: number } | undefined
  #writing: Promise<void> | undefined

  /** Fills `offsets` from the file. Throws `CONFIG_INVALID` when neither it nor its `.bak` can be read. */
  constructor(deps: DelayOffsetFileDeps) {
    this.#deps = deps
    this.#file = new BackedUpFile(deps.disk, `${deps.directory}/delayOffset.json`)
    const content = this.#file.load(delayOffsetWrapper.parse)
    if (content !== undefined) deps.offsets.load(content)
    deps.store.onFlushed(() => this.#writeWaiting())
  }

  /** Begins to save now and then. */
  start(): void {
    this.#schedule(FIRST_SAVE_DELAY_MS)
  }

  /** Ends the periodic saving, and saves. Never rejects; a failure is logged. */
  async close(): Promise<void> {
    const { offsets, store, logger } = this.#deps
    this.#timer?.cancel()
    const isSaved = !offsets.isDirty && this.#waiting === undefined
    this.#waiting = undefined
    await this.#writing
    if (isSaved && !offsets.isDirty) return
    try {
      await store.flush()
      await this.#write(this.#text())
    } catch (error) {
      logger.error({ err: error }, 'the log could not be flushed; delayed messages may be delivered again')
    }
  }

  #schedule(delayMs: number): void {
    const { clock, options } = this.#deps
    const onTime = () => {
      this.#save()
      this.#schedule(options.flushDelayOffsetIntervalMs)
    }
    this.#timer = clock.setTimeout(onTime, delayMs, { unref: true })
  }

  #save(): void {
    const { offsets, store } = this.#deps
    if (!offsets.isDirty || this.#waiting !== undefined || this.#writing !== undefined) return
    this.#waiting = { text: this.#text(), endOffset: store.watermarks.written }
    store.requestFlush(store.watermarks.written)
    this.#writeWaiting()
  }

  #text(): string {
    this.#deps.offsets.isDirty = false
    return delayOffsetWrapper.stringifyPretty(this.#deps.offsets.snapshot())
  }

  #writeWaiting(): void {
    const waiting = this.#waiting
    if (waiting === undefined || this.#deps.store.watermarks.flushed < waiting.endOffset) return
    this.#waiting = undefined
    this.#writing = this.#write(waiting.text).then(() => {
      this.#writing = undefined
    })
  }

  async #write(text: string): Promise<void> {
    try {
      await this.#file.saveDurably(text)
    } catch (error) {
      this.#deps.offsets.isDirty = true
      this.#deps.logger.error({ err: error, path: this.#file.path }, 'the delay offsets could not be saved')
    }
  }
}
