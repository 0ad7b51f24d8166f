import { parseConfigText } from '@rocketmq-ts/protocol'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { brokerKeys } from './options/broker-keys.ts'
import type { OptionDefinition, OptionsOf, OptionTable, OptionValue } from './options/definition.ts'
import { nearestName } from './options/nearest-name.ts'
import { networkKeys } from './options/network-keys.ts'
import { storeKeys } from './options/store-keys.ts'
import { checked, parseOptionText } from './options/values.ts'

/** Every setting of the broker process by our name; `docs/configuration` and GET_BROKER_CONFIG print the Java keys. */
export const brokerOptionTable = { ...networkKeys, ...storeKeys, ...brokerKeys } satisfies OptionTable

/**
 * The settings of one broker, all present. The object is live: UPDATE_BROKER_CONFIG assigns to its fields, so read a field
 * where it is used instead of copying it.
 */
export type BrokerOptions = OptionsOf<typeof brokerOptionTable>

/** The names of {@link BrokerOptions}. */
export type BrokerOptionName = keyof typeof brokerOptionTable & string

/** A key of a configuration file that no setting has. It is kept and shown, as Java does, but means nothing. */
export interface UnknownKey {
  readonly key: string
  /** The known key that was probably meant. */
  readonly nearest: string | undefined
}

/** What a configuration file says. */
export interface BrokerConf {
  readonly options: Partial<BrokerOptions>
  readonly unknownKeys: readonly UnknownKey[]
  /** Unknown keys with their values. */
  readonly unknownEntries: ReadonlyMap<string, string>
}

const table: OptionTable = brokerOptionTable

const namesByKey: ReadonlyMap<string, BrokerOptionName> = new Map(
  Object.entries(table).map(([name, option]) => [option.key, name as BrokerOptionName]),
)

/** Java keys whose setter has another name than its field, as it must be written in a file. */
const keyAliases: ReadonlyMap<string, string> = new Map([
  ['inBrokerContainer', 'isInBrokerContainer'],
  ['scanAvailableNameSrv', 'isScanAvailableNameSrv'],
])

/** The setting that a Java key means, or `undefined`. */
export function optionOfKey(
  key: string,
): { name: BrokerOptionName; option: OptionDefinition<OptionValue> } | undefined {
  const name = namesByKey.get(keyAliases.get(key) ?? key)
  return name === undefined ? undefined : { name, option: table[name]! }
}

/** The known Java key that resembles `key`. */
export function nearestKey(key: string): string | undefined {
  return nearestName(key, namesByKey.keys())
}

/**
 * A full set of options: the defaults under `overrides`, which is neither changed nor kept. Throws `CONFIG_INVALID` for an
 * unknown name (with the nearest known one), a wrong type or a value out of range.
 */
export function createBrokerOptions(overrides: Partial<BrokerOptions> = {}): BrokerOptions {
  const options: Record<string, OptionValue> = {}
  for (const [name, option] of Object.entries(table)) options[name] = option.defaultValue
  for (const [name, value] of Object.entries(overrides)) {
    const option = Object.hasOwn(table, name) ? table[name] : undefined
    if (option === undefined) throw unknownOption(name)
    if (value !== undefined) options[name] = checked(option, value)
  }
  return options as BrokerOptions
}

/**
 * Reads a `broker.conf`. Unknown keys are returned for a warning; a bad value throws `CONFIG_INVALID` naming the key.
 * An empty value of a number or flag counts as not given.
 */
export function readBrokerConf(text: string): BrokerConf {
  const options: Record<string, OptionValue> = {}
  const unknownKeys: UnknownKey[] = []
  const unknownEntries = new Map<string, string>()
  for (const [key, value] of parseConfigText(text)) {
    const found = optionOfKey(key)
    if (found === undefined) {
      unknownKeys.push({ key, nearest: nearestKey(key) })
      unknownEntries.set(key, value)
    } else if (value.trim() !== '' || found.option.type === 'text') {
      options[found.name] = parseOptionText(found.option, value)
    }
  }
  return { options: options as Partial<BrokerOptions>, unknownKeys, unknownEntries }
}

function unknownOption(name: string): RocketMqError {
  const nearest = nearestName(name, Object.keys(table))
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`
  return new RocketMqError('CONFIG_INVALID', `unknown broker option "${name}"${hint}`, { details: { key: name } })
}
