import { totalmem } from 'node:os'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { Checkpoint } from './checkpoint.ts'
import { CommitLog } from './commit-log/commit-log.ts'
import { type RecoveryResult, recover } from './commit-log/recovery.ts'
import { BatchQueues } from './consume-queue/batch-queues.ts'
import type { ConsumeQueueContext } from './consume-queue/consume-queue.ts'
import { ENTRY_BYTES } from './consume-queue/entries.ts'
import { QueueTable } from './consume-queue/queue-table.ts'
import { QueueWriter } from './consume-queue/queue-writer.ts'
import { DeletedTopics } from './deleted-topics.ts'
import { Dispatcher } from './dispatch/dispatcher.ts'
import { KeyIndex } from './index/key-index.ts'
import { Lifecycle } from './lifecycle.ts'
import type { OpenFiles } from './segment/open-files.ts'
import type { StoreCore, StoreParameters, StoreTuning } from './store-core.ts'
import { Watermarks } from './watermarks.ts'

const MIB = 1024 * 1024

/** For a broker that stays below 200 MiB. */
export const defaultTuning: StoreTuning = {
  tailChunkBytes: MIB,
  tailRetainedBytes: 16 * MIB,
  coldCacheBytes: 8 * MIB,
  turnBytesMax: 8 * MIB,
  openFilesMax: 16_384,
  wholeLogMaxBytes: 1024 * MIB,
  totalMemoryBytes: totalmem(),
}

/** The parts of a store, not yet recovered. Throws `CONFIG_INVALID`. */
export function buildCore(parameters: StoreParameters, openFiles: OpenFiles): StoreCore {
  const { clock, directory, disk, options } = parameters
  if (parameters.commitLogDirectory?.includes(',')) {
    throw new RocketMqError(
      'CONFIG_INVALID',
      'storePathCommitLog: several commit log paths are not supported; name one',
    )
  }
  const logger = parameters.logger.child({ module: 'store' })
  const tuning = { ...defaultTuning, ...parameters.tuning }
  const segments = { disk, openFiles, logger }
  const queueWriter = new QueueWriter()
  const queueContext: ConsumeQueueContext = {
    logger,
    recentEntriesMax: 0,
    onDirty: queue => queueWriter.add(queue),
    onWriteFailure: (_queue, error) => queueWriter.onFailure(error),
  }
  return {
    disk,
    clock,
    turn: parameters.turn,
    logger,
    directory,
    options,
    tuning,
    openFiles,
    commitLog: new CommitLog(
      segments,
      parameters.commitLogDirectory ?? `${directory}/commitlog`,
      options.commitLogFileSizeBytes,
      {
        chunkBytes: Math.min(tuning.tailChunkBytes, options.commitLogFileSizeBytes),
        retainedBytes: tuning.tailRetainedBytes,
      },
    ),
    queues: new QueueTable(segments, queueContext, {
      directory,
      fileSizeBytes: Math.ceil(options.consumeQueueFileSizeBytes / ENTRY_BYTES) * ENTRY_BYTES,
      extFileSizeBytes: options.enableConsumeQueueExt ? options.consumeQueueExtFileSizeBytes : 0,
    }),
    batchQueues: new BatchQueues(
      segments,
      `${directory}/batchconsumequeue`,
      options.mapperFileSizeBatchConsumeQueue,
      parameters.isBatchTopic ?? (() => false),
    ),
    queueWriter,
    deletedTopics: new DeletedTopics(disk, directory, logger),
    index: options.messageIndexEnable
      ? new KeyIndex({ disk, clock, logger }, `${directory}/index`, {
          slotCount: options.indexHashSlotCount,
          entryCount: options.indexEntryCount,
        })
      : undefined,
    checkpoint: new Checkpoint(disk, `${directory}/checkpoint`),
    watermarks: new Watermarks(0),
    lifecycle: new Lifecycle(logger),
    bitMapOf: parameters.bitMapOf,
  }
}

/** Brings the parts into agreement with what is on disk. */
export function recoverCore(core: StoreCore, isCleanExit: boolean): Promise<RecoveryResult> {
  return recover({
    ...core,
    dispatcher: new Dispatcher(core),
    isCleanExit,
    wholeLogMaxBytes: core.tuning.wholeLogMaxBytes,
  })
}
