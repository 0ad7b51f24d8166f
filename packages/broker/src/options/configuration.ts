import { type DataVersion, initialDataVersion, nextDataVersion, parseDelayLevels } from '@rocketmq-ts/model'
import { formatConfigText, parseConfigText } from '@rocketmq-ts/protocol'
import { type BackedUpFile, type Clock, type Logger, RocketMqError } from '@rocketmq-ts/runtime'
import { type BrokerOptionName, type BrokerOptions, brokerOptionTable, nearestKey, optionOfKey } from '../options.ts'
import type { OptionDefinition, OptionTable, OptionValue } from './definition.ts'
import { formatOption, parseOptionText } from './values.ts'

/** Keys that never change at run time, whatever `configBlackList` says. */
const fixedBlackList = ['brokerConfigPath', 'rocketmqHome', 'configBlackList']

/** Where the settings came from is this process's affair; Java doesn't show it either. */
const hiddenKeys: ReadonlySet<string> = new Set(['brokerConfigPath'])

const table: OptionTable = brokerOptionTable

/** One setting to be changed. */
interface Change {
  readonly name: BrokerOptionName
  readonly option: OptionDefinition<OptionValue>
  readonly value: OptionValue
}

/**
 * The settings of a running broker: shown as Java shows them, changed at run time, and kept in the file they came from.
 * Source: Configuration, 5.3.x
 */
export class BrokerConfiguration {
  readonly options: BrokerOptions
  readonly #unknownEntries: ReadonlyMap<string, string>
  readonly #file: BackedUpFile | undefined
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #listeners: ((names: ReadonlySet<BrokerOptionName>) => void)[] = []
  /** Shown in place of what is configured: ports that the system chose, and the like. */
  readonly #effective = new Map<string, string>()
  #version: DataVersion

  /** Without `file` changes last until the broker stops. `unknownEntries` are shown and kept, as Java does. */
  constructor(deps: {
    options: BrokerOptions
    unknownEntries?: ReadonlyMap<string, string>
    file?: BackedUpFile
    clock: Clock
    logger: Logger
  }) {
    this.options = deps.options
    this.#unknownEntries = deps.unknownEntries ?? new Map()
    this.#file = deps.file
    this.#clock = deps.clock
    this.#logger = deps.logger
    this.#version = initialDataVersion(deps.clock.now())
  }

  /** Counts the changes since the start. */
  get version(): DataVersion {
    return this.#version
  }

  /** Calls `listener` after each update with the names whose value was given, changed or not. */
  onUpdate(listener: (names: ReadonlySet<BrokerOptionName>) => void): void {
    this.#listeners.push(listener)
  }

  /** Has a key shown with the value that it has in effect; the file keeps the one that was configured. */
  showEffective(key: string, value: string | number): void {
    this.#effective.set(key, String(value))
  }

  /** All settings in effect as `key=value` lines sorted by key; settings without a value are left out. */
  text(): string {
    return formatConfigText(new Map([...this.#entries(), ...this.#effective]))
  }

  #entries(): Map<string, string> {
    const entries = new Map(this.#unknownEntries)
    const values = this.options as Record<string, OptionValue>
    for (const [name, option] of Object.entries(table)) {
      if (option.isOurs && values[name] === option.defaultValue) continue
      const value = formatOption(option, values[name])
      if (value !== undefined && !hiddenKeys.has(option.key)) entries.set(option.key, value)
    }
    return entries
  }

  /** The first key of a properties text that may not be changed at run time. */
  blackListedKey(text: string): string | undefined {
    const forbidden = new Set([...fixedBlackList, ...this.options.configBlackList.split(';')])
    return [...parseConfigText(text).keys()].find(key => forbidden.has(key))
  }

  /**
   * Takes over the settings of a properties text, all or none; they hold from now on, and the file is rewritten. Throws
   * `CONFIG_INVALID` for an unknown key (naming the nearest known one) or a bad value. A key that was unknown at the start
   * already is accepted without effect.
   */
  update(text: string): void {
    const changes: Change[] = []
    for (const [key, value] of parseConfigText(text)) {
      const found = optionOfKey(key)
      if (found !== undefined) {
        if (found.name === 'messageDelayLevel') parseDelayLevels(value)
        changes.push({ ...found, value: parseOptionText(found.option, value) })
      } else if (!this.#unknownEntries.has(key)) throw unknownKey(key)
    }
    const values = this.options as Record<string, OptionValue>
    for (const { name, option, value } of changes) {
      this.#logger.info({ key: option.key, from: values[name], to: value, isInert: option.isInert }, 'setting changed')
      values[name] = value
      this.#effective.delete(option.key)
    }
    this.#version = nextDataVersion(this.#version, this.#clock.now())
    this.#persist()
    const names = new Set(changes.map(change => change.name))
    for (const listener of this.#listeners) listener(names)
  }

  #persist(): void {
    if (this.#file === undefined) return
    try {
      this.#file.save(formatConfigText(this.#entries()))
    } catch (error) {
      this.#logger.error({ err: error, path: this.#file.path }, 'the configuration file could not be saved')
    }
  }
}

function unknownKey(key: string): RocketMqError {
  const nearest = nearestKey(key)
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
  return new RocketMqError('CONFIG_INVALID', `the broker has no setting ${key}${hint}`, { details: { key } })
}
