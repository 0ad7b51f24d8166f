import { RocketMqError } from '@rocketmq-ts/runtime'

/** What one setting of the store is. */
export interface StoreOptionDefinition<T extends StoreOptionValue> {
  /** The key in `broker.conf`: the field of Java's MessageStoreConfig. */
  readonly key: string
  readonly defaultValue: T
  readonly min: number
  readonly sentence: string
}

export type StoreOptionValue = number | boolean | string

function whole(key: string, defaultValue: number, sentence: string, min = 0): StoreOptionDefinition<number> {
  return { key, defaultValue, min, sentence }
}

function flag(key: string, defaultValue: boolean, sentence: string): StoreOptionDefinition<boolean> {
  return { key, defaultValue, min: 0, sentence }
}

function text<T extends string>(key: string, defaultValue: T, sentence: string): StoreOptionDefinition<T> {
  return { key, defaultValue, min: 0, sentence }
}

/** Every setting that the store reads, by our name. Percentages are whole percents, times are milliseconds. */
export const storeOptionTable = {
  commitLogFileSizeBytes: whole('mappedFileSizeCommitLog', 1_073_741_824, 'Size of a commit log file.', 1024),
  consumeQueueFileSizeBytes: whole(
    'mappedFileSizeConsumeQueue',
    6_000_000,
    'Size of a consume queue file, rounded up to a multiple of 20.',
    20,
  ),
  enableConsumeQueueExt: flag('enableConsumeQueueExt', false, 'Write consumequeue_ext.'),
  consumeQueueExtFileSizeBytes: whole('mappedFileSizeConsumeQueueExt', 50_331_648, 'Size of an ext file.', 64),
  mapperFileSizeBatchConsumeQueue: whole(
    'mapperFileSizeBatchConsumeQueue',
    13_800_000,
    'Size of a batch consume queue file.',
    46,
  ),
  bitMapLengthConsumeQueueExt: whole('bitMapLengthConsumeQueueExt', 64, 'Bits of the filter bit map.'),
  flushDiskType: text<'ASYNC_FLUSH' | 'SYNC_FLUSH'>('flushDiskType', 'ASYNC_FLUSH', 'When a message counts as stored.'),
  flushIntervalCommitLogMs: whole('flushIntervalCommitLog', 500, 'ms between asynchronous flushes.', 1),
  flushCommitLogLeastPages: whole('flushCommitLogLeastPages', 4, 'Dirty 4 KiB pages that make a flush worth it.'),
  flushCommitLogThoroughIntervalMs: whole(
    'flushCommitLogThoroughInterval',
    10_000,
    'ms after which a flush ignores the page minimum.',
  ),
  flushIntervalConsumeQueueMs: whole('flushIntervalConsumeQueue', 1000, 'ms between consume queue writes.', 1),
  flushConsumeQueueThoroughIntervalMs: whole(
    'flushConsumeQueueThoroughInterval',
    60_000,
    'ms between syncs of all consume queues.',
    1,
  ),
  checkCrcOnRecover: flag('checkCRCOnRecover', true, 'Verify body CRCs during recovery.'),
  enabledAppendPropCrc: flag('enabledAppendPropCRC', false, 'Append a CRC of the whole record to it.'),
  forceVerifyPropCrc: flag('forceVerifyPropCRC', false, 'Recovery requires the appended CRC.'),
  autoMessageVersionOnTopicLen: flag(
    'autoMessageVersionOnTopicLen',
    true,
    'V2 records for topics longer than 127 bytes.',
  ),
  messageSizeMaxBytes: whole('maxMessageSize', 4_194_304, 'Greatest body.', 10),
  messageDelayLevel: text<string>(
    'messageDelayLevel',
    '1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h',
    'Delay levels, for the deliver time in the schedule queues.',
  ),
  diskSpaceWarningLevelPercent: whole('diskSpaceWarningLevelRatio', 90, 'Above it writes are refused (35..90).'),
  diskSpaceCleanForciblyPercent: whole(
    'diskSpaceCleanForciblyRatio',
    85,
    'Above it the oldest files are deleted at once (30..85).',
  ),
  diskMaxUsedSpacePercent: whole(
    'diskMaxUsedSpaceRatio',
    75,
    'Above it expired files are deleted at any hour (10..95).',
  ),
  diskSpaceAmpleBytes: whole(
    'diskSpaceAmpleBytes',
    0,
    'With so much available the three ratios are not looked at; 0: always.',
  ),
  cleanFileForciblyEnable: flag('cleanFileForciblyEnable', true, 'Allow deletion at once on a full disk.'),
  cleanResourceIntervalMs: whole('cleanResourceInterval', 10_000, 'ms between clean-up rounds.', 1),
  deleteCommitLogFilesIntervalMs: whole('deleteCommitLogFilesInterval', 100, 'Pause between two file deletions.'),
  deleteWhenHours: text<string>('deleteWhen', '04', 'Local hours, separated by ;, in which expired files go.'),
  fileReservedTimeHours: whole('fileReservedTime', 72, 'Hours a commit log file is kept after its last write.'),
  deleteFileBatchMax: whole('deleteFileBatchMax', 10, 'Files deleted per round.', 1),
  filterScanMaxBytes: whole('maxFilterMessageSize', 16_000, 'Consume queue bytes scanned per pull while filtering.'),
  transferInMemoryMaxBytes: whole('maxTransferBytesOnMessageInMemory', 262_144, 'Bytes per pull, hot.'),
  transferInMemoryMaxCount: whole('maxTransferCountOnMessageInMemory', 32, 'Messages per pull, hot.'),
  transferInDiskMaxBytes: whole('maxTransferBytesOnMessageInDisk', 65_536, 'Bytes per pull, cold.'),
  transferInDiskMaxCount: whole('maxTransferCountOnMessageInDisk', 8, 'Messages per pull, cold.'),
  accessMessageInMemoryMaxPercent: whole(
    'accessMessageInMemoryMaxRatio',
    40,
    'Percent of RAM that counts as the hot end of the log.',
  ),
  travelCqFileNumWhenGetMessage: whole(
    'travelCqFileNumWhenGetMessage',
    1,
    'Consume queue files searched per pull while nothing matched.',
    1,
  ),
  messageIndexEnable: flag('messageIndexEnable', true, 'Build the key index.'),
  messageIndexSafe: flag('messageIndexSafe', false, "Recovery of a Java store also respects the index's time."),
  indexHashSlotCount: whole('maxHashSlotNum', 5_000_000, 'Slots of an index file.', 1),
  indexEntryCount: whole('maxIndexNum', 20_000_000, 'Entries of an index file.', 2),
  queryMessageMaxCount: whole('maxMsgsNumBatch', 64, 'Greatest number of results of a key query.', 1),
  enableLmq: flag('enableLmq', false, 'Light queues.'),
  enableMultiDispatch: flag('enableMultiDispatch', false, 'Dispatch messages to light queues.'),
  readUnCommitted: flag('readUnCommitted', false, 'Let consumers see messages before they are flushed.'),
} as const satisfies Record<string, StoreOptionDefinition<StoreOptionValue>>

type Widened<T> =
  T extends StoreOptionDefinition<infer V> ? (V extends number ? number : V extends boolean ? boolean : V) : never

/**
 * The settings of one store, all present. The object is live: fields are read where they are used, so an operator's change
 * works at once, except file sizes, which hold for the life of the directory.
 */
export type StoreOptions = { -readonly [K in keyof typeof storeOptionTable]: Widened<(typeof storeOptionTable)[K]> }

/**
 * A full set of options: defaults under `overrides`, which is neither changed nor kept. Throws `CONFIG_INVALID` for an unknown
 * name, a wrong type or a number below its least value.
 */
export function createStoreOptions(overrides: Partial<StoreOptions> = {}): StoreOptions {
  const table: Record<string, StoreOptionDefinition<StoreOptionValue>> = storeOptionTable
  const options: Record<string, StoreOptionValue> = {}
  for (const [name, definition] of Object.entries(table)) options[name] = definition.defaultValue
  for (const [name, value] of Object.entries(overrides)) {
    const definition = Object.hasOwn(table, name) ? table[name] : undefined
    if (definition === undefined) throw new RocketMqError('CONFIG_INVALID', `The store has no option ${name}`)
    if (value === undefined) continue
    if (typeof value !== typeof definition.defaultValue) {
      throw new RocketMqError('CONFIG_INVALID', `${name} must be a ${typeof definition.defaultValue}`)
    }
    if (typeof value === 'number' && !(Number.isSafeInteger(value) && value >= definition.min)) {
      throw new RocketMqError(
        'CONFIG_INVALID',
        `${name} is ${value}; it must be an integer of at least ${definition.min}`,
      )
    }
    options[name] = value
  }
  return options as StoreOptions
}
