import { type DataVersion, initialDataVersion, nextDataVersion } from '@rocketmq-ts/model'
import type { DelayOffsetWrapper } from '@rocketmq-ts/protocol'
import type { Clock } from '@rocketmq-ts/runtime'

/** Read live. */
export interface DelayOffsetOptions {
  readonly delayOffsetUpdateVersionStep: number
}

/**
 * How far the delayed messages of each level are delivered: the offset of the next one in its queue of the schedule topic.
 * A level appears with its first message. Source: ScheduleMessageService#updateOffset, 5.3.x
 */
export class DelayOffsets {
  readonly #clock: Clock
  readonly #options: DelayOffsetOptions
  readonly #table = new Map<number, number>()
  #updatesSinceVersion = 0
  /** Counted up every `delayOffsetUpdateVersionStep` delivered messages. */
  version: DataVersion
  /** True when something changed since the last save. */
  isDirty = false

  constructor(clock: Clock, options: DelayOffsetOptions) {
    this.#clock = clock
    this.#options = options
    this.version = initialDataVersion(clock.now())
  }

  /** The stored offset of a level; undefined for a level that never had a message. */
  get(level: number): number | undefined {
    return this.#table.get(level)
  }

  /** Notes the next offset of a level. */
  set(level: number, offset: number): void {
    const previous = this.#table.get(level)
    if (previous === offset) return
    this.#table.set(level, offset)
    this.isDirty = true
    this.#updatesSinceVersion += Math.max(1, offset - (previous ?? 0))
    if (this.#updatesSinceVersion >= this.#options.delayOffsetUpdateVersionStep) {
      this.#updatesSinceVersion = 0
      this.version = nextDataVersion(this.version, this.#clock.now())
    }
  }

  /** Levels and offsets, by level. */
  entries(): [level: number, offset: number][] {
    return [...this.#table].sort(([a], [b]) => a - b)
  }

  /** Takes over what the file says. */
  load(content: DelayOffsetWrapper): void {
    for (const [level, offset] of content.offsetTable) this.#table.set(level, offset)
    if (content.dataVersion !== undefined) this.version = content.dataVersion
  }

  /** The content of the file, and of the answer to GET_ALL_DELAY_OFFSET. */
  snapshot(): DelayOffsetWrapper {
    return { dataVersion: this.version, offsetTable: new Map(this.entries()) }
  }
}
