import { editConfigText, formatConfigText, parseConfigText } from '@rocketmq-ts/protocol'
import type { BackedUpFile, Logger } from '@rocketmq-ts/runtime'
import { type NamesrvOptionName, type NamesrvOptions, namesrvConfOf, optionEntries } from './options.ts'

/** Keys that never change at run time, whatever `configBlackList` says. */
const fixedBlackList = ['configBlackList', 'configStorePath', 'kvConfigPath', 'rocketmqHome']

/**
 * The settings of a running name server: shown as Java shows them, changed at run time, and kept in the file they came
 * from. Source: Configuration and DefaultRequestProcessor#updateConfig, 5.3.x.
 */
export class NamesrvConfiguration {
  readonly options: NamesrvOptions
  readonly #blackList: ReadonlySet<string>
  readonly #file: BackedUpFile | undefined
  readonly #logger: Logger
  readonly #listeners: (() => void)[] = []

  /** `options` stays shared and changes in place. Without `file`, changes last until the name server stops. */
  constructor(deps: { options: NamesrvOptions; file?: BackedUpFile | undefined; logger: Logger }) {
    this.options = deps.options
    this.#file = deps.file
    this.#logger = deps.logger
    this.#blackList = new Set([...fixedBlackList, ...deps.options.configBlackList.split(';')])
  }

  /** Calls `listener` after each change. */
  onUpdate(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** All settings as `key=value` lines sorted by key. */
  text(): string {
    return formatConfigText(optionEntries(this.options))
  }

  /** Whether the text names a key that may not be changed at run time. */
  isForbidden(text: string): boolean {
    return [...parseConfigText(text).keys()].some(key => this.#blackList.has(key))
  }

  /**
   * Takes over the settings of a text, all or none, and writes those keys into the file. A key that no setting has is
   * ignored with a warning. Throws `CONFIG_INVALID` for a bad value, which Java ignores while it says success.
   */
  update(text: string): void {
    const entries = parseConfigText(text)
    const { options, unknownKeys } = namesrvConfOf(entries)
    for (const key of unknownKeys) {
      this.#logger.warn({ key }, 'an unknown setting was to be changed')
      entries.delete(key)
    }
    if (entries.size === 0) return
    this.#save(entries)
    const live = this.options as Record<string, string | number | boolean>
    for (const [name, value] of Object.entries(options)) {
      this.#logger.info({ name, from: live[name], to: value }, 'setting changed')
      live[name as NamesrvOptionName] = value
    }
    for (const listener of this.#listeners) listener()
  }

  #save(changes: ReadonlyMap<string, string>): void {
    const file = this.#file
    if (file !== undefined) file.save(editConfigText(file.load(text => text) ?? '', changes))
  }
}
