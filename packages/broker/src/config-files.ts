import { messageRequestModeWrapper, subscriptionGroupWrapper, topicConfigSerializeWrapper } from '@rocketmq-ts/protocol'
import { BackedUpFile, type Clock, type Disk, type Logger, type TurnScheduler } from '@rocketmq-ts/runtime'
import { ConfigSaver } from './config-saver.ts'
import type { SubscriptionGroupTable } from './subscription/group-table.ts'
import type { RequestModeTable } from './subscription/request-mode-table.ts'
import type { TopicTable } from './topic/topic-table.ts'

/** What the broker's JSON files need. */
export interface ConfigFileDeps {
  readonly disk: Disk
  /** `<storePathRootDir>/config`, which exists. */
  readonly directory: string
  readonly clock: Clock
  readonly logger: Logger
  readonly turn?: TurnScheduler
}

/** Fills the table from topics.json and keeps the file. Throws `CONFIG_INVALID` when file and `.bak` can't be read. */
export function keepTopics(topics: TopicTable, deps: ConfigFileDeps): ConfigSaver {
  const file = new BackedUpFile(deps.disk, `${deps.directory}/topics.json`)
  const content = file.load(topicConfigSerializeWrapper.parse)
  if (content !== undefined) topics.load(content)
  const saver = saverOf(file, () => topicConfigSerializeWrapper.stringifyPretty(topics.snapshot()), deps)
  topics.onChange(change => saver.changed(change.isOnDemand))
  return saver
}

/** The same for subscriptionGroup.json. */
export function keepGroups(groups: SubscriptionGroupTable, deps: ConfigFileDeps): ConfigSaver {
  const file = new BackedUpFile(deps.disk, `${deps.directory}/subscriptionGroup.json`)
  const content = file.load(subscriptionGroupWrapper.parse)
  if (content !== undefined) groups.load(content)
  const saver = saverOf(file, () => subscriptionGroupWrapper.stringifyPretty(groups.snapshot()), deps)
  groups.onChange(isOnDemand => saver.changed(isOnDemand))
  return saver
}

/** The same for messageRequestMode.json. */
export function keepRequestModes(modes: RequestModeTable, deps: ConfigFileDeps): ConfigSaver {
  const file = new BackedUpFile(deps.disk, `${deps.directory}/messageRequestMode.json`)
  const content = file.load(messageRequestModeWrapper.parse)
  if (content !== undefined) {
    for (const groups of content.messageRequestModeMap.values()) modes.load(groups.values())
  }
  const encode = () => messageRequestModeWrapper.stringifyPretty({ messageRequestModeMap: modes.entries() })
  const saver = saverOf(file, encode, deps)
  modes.onChange(() => saver.changed())
  return saver
}

function saverOf(file: BackedUpFile, encode: () => string, deps: ConfigFileDeps): ConfigSaver {
  const { clock, logger, turn } = deps
  return new ConfigSaver({ file, encode, clock, logger, ...(turn === undefined ? {} : { turn }) })
}
