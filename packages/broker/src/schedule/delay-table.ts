import { DEFAULT_DELAY_LEVELS, delayOfLevel, parseDelayLevels } from '@rocketmq-ts/model'

/** How long each level waits, by the setting `messageDelayLevel`, which is read live. */
export class DelayTable {
  readonly #options: { readonly messageDelayLevel: string }
  #text = DEFAULT_DELAY_LEVELS
  #delaysMs = parseDelayLevels(DEFAULT_DELAY_LEVELS)

  constructor(options: { readonly messageDelayLevel: string }) {
    this.#options = options
  }

  /** ms; a level above the last waits as long as the last. Throws `CONFIG_INVALID` while the setting can't be read. */
  delayOf(level: number): number {
    const { messageDelayLevel } = this.#options
    if (messageDelayLevel !== this.#text) {
      this.#delaysMs = parseDelayLevels(messageDelayLevel)
      this.#text = messageDelayLevel
    }
    return delayOfLevel(this.#delaysMs, level)
  }
}
