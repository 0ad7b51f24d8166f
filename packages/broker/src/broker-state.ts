import type { Clock, Disk, Logger, TurnScheduler } from '@rocketmq-ts/runtime'
import { MessageStore } from '@rocketmq-ts/store'
import { ConsumerGroups } from './client/consumer-groups.ts'
import { MemberNotifier } from './client/member-notifier.ts'
import { ProducerGroups } from './client/producer-groups.ts'
import { keepGroups, keepRequestModes, keepTopics } from './config-files.ts'
import type { ConfigSaver } from './config-saver.ts'
import { FilterFile } from './filter/filter-file.ts'
import { FilterTable } from './filter/filter-table.ts'
import { QueueLocks } from './lock/queue-locks.ts'
import { ConsumerOffsets } from './offset/consumer-offsets.ts'
import { keepOffsets, type OffsetFile } from './offset/offset-file.ts'
import type { BrokerOptions } from './options.ts'
import { BrokerStats } from './stats/broker-stats.ts'
import { SubscriptionGroupTable } from './subscription/group-table.ts'
import { RequestModeTable } from './subscription/request-mode-table.ts'
import { TopicTable } from './topic/topic-table.ts'

/** What a broker knows and keeps; handlers are given the parts they use. */
export interface BrokerState {
  readonly store: MessageStore
  readonly topics: TopicTable
  readonly groups: SubscriptionGroupTable
  readonly modes: RequestModeTable
  readonly offsets: ConsumerOffsets
  readonly offsetFile: OffsetFile
  /** Of topics, groups and request modes. */
  readonly configSavers: readonly ConfigSaver[]
  readonly filters: FilterTable
  readonly filterFile: FilterFile
  readonly consumers: ConsumerGroups
  readonly producers: ProducerGroups
  readonly notifier: MemberNotifier
  readonly locks: QueueLocks
  readonly stats: BrokerStats
}

export interface StateDeps {
  readonly disk: Disk
  readonly clock: Clock
  readonly turn: TurnScheduler
  readonly logger: Logger
  readonly options: BrokerOptions
}

/**
 * Opens the store and reads the files of `config/`. Rejects with `STORE_LOCKED`, `STORE_CORRUPT` or `CONFIG_INVALID`; then
 * nothing is left open.
 */
export async function openState(deps: StateDeps): Promise<BrokerState> {
  const { disk, clock, turn, logger, options } = deps
  const directory = `${options.storePathRootDir}/config`
  disk.makeDirectory(directory)
  const files = { disk, directory, clock, logger, turn }
  const topics = new TopicTable({ options, clock, logger })
  const topicSaver = keepTopics(topics, files)
  const groups = new SubscriptionGroupTable({ options, clock, logger })
  const groupSaver = keepGroups(groups, files)
  const modes = new RequestModeTable()
  const modeSaver = keepRequestModes(modes, files)
  const offsets = new ConsumerOffsets(clock, logger, options)
  const filters = new FilterTable(clock, logger, options)
  // Before the store: its recovery makes bit maps for what the file knows.
  const filterFile = new FilterFile({ filters, disk, directory, clock, logger })
  const notifier = new MemberNotifier(clock, options)
  const store = await MessageStore.open({
    disk,
    clock,
    turn,
    logger,
    directory: options.storePathRootDir,
    options,
    commitLogDirectory: options.storePathCommitLog,
    bitMapOf: (topic, properties) => filters.bitMapOf(topic, properties),
    isBatchTopic: topic => topics.get(topic)?.attributes['queue.type'] === 'BatchCQ',
  })
  try {
    const offsetFile = keepOffsets({ offsets, disk, directory, clock, logger, options })
    filterFile.start()
    return {
      store,
      topics,
      groups,
      modes,
      offsets,
      offsetFile,
      configSavers: [topicSaver, groupSaver, modeSaver],
      filters,
      filterFile,
      consumers: new ConsumerGroups(clock, logger, notifier, filters),
      producers: new ProducerGroups(clock, logger),
      notifier,
      locks: new QueueLocks(clock, logger),
      stats: new BrokerStats({ clock, options, isSystemTopic: name => topics.isSystem(name) }),
    }
  } catch (error) {
    await store.close()
    throw error
  }
}
