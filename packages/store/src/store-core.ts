import type { Clock, Disk, Logger, TurnScheduler } from '@rocketmq-ts/runtime'
import type { Checkpoint } from './checkpoint.ts'
import type { CommitLog } from './commit-log/commit-log.ts'
import type { BatchQueues } from './consume-queue/batch-queues.ts'
import type { QueueTable } from './consume-queue/queue-table.ts'
import type { QueueWriter } from './consume-queue/queue-writer.ts'
import type { DeletedTopics } from './deleted-topics.ts'
import type { BitMapOf } from './dispatch/dispatcher.ts'
import type { KeyIndex } from './index/key-index.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { StoreOptions } from './options.ts'
import type { OpenFiles } from './segment/open-files.ts'
import type { Watermarks } from './watermarks.ts'

/** What {@link MessageStore.open} needs. */
export interface StoreParameters {
  readonly disk: Disk
  readonly clock: Clock
  /** Shared with the connections: the store writes in its phase `write` and tells of arrivals in `wake`. */
  readonly turn: TurnScheduler
  readonly logger: Logger
  /** `storePathRootDir`. Made when absent. */
  readonly directory: string
  /** Live: read where it is used. */
  readonly options: StoreOptions
  /** Undefined: `<directory>/commitlog`. */
  readonly commitLogDirectory?: string | undefined
  /** True for a topic with `queue.type=BatchCQ`. */
  readonly isBatchTopic?: ((topic: string) => boolean) | undefined
  /** Filter bits of a message, for the consume queue extension. */
  readonly bitMapOf?: BitMapOf | undefined
  readonly tuning?: Partial<StoreTuning> | undefined
}

/** Sizes of what the store keeps in memory, and the like. Not part of the broker's configuration. */
export interface StoreTuning {
  /** One piece of the log's end in memory. */
  readonly tailChunkBytes: number
  /** All of the log's end in memory. */
  readonly tailRetainedBytes: number
  /** Blocks of the cold log. */
  readonly coldCacheBytes: number
  /** Appended bytes above which the log is written before the turn ends. */
  readonly turnBytesMax: number
  /** Files open at once. */
  readonly openFilesMax: number
  /** Java stores up to this size are read whole after a crash. */
  readonly wholeLogMaxBytes: number
  /** Memory of the machine, for Java's rule of what counts as the hot end of the log. */
  readonly totalMemoryBytes: number
}

/** The parts of one store, as its classes share them. */
export interface StoreCore {
  readonly disk: Disk
  readonly clock: Clock
  readonly turn: TurnScheduler
  readonly logger: Logger
  readonly directory: string
  readonly options: StoreOptions
  readonly tuning: StoreTuning
  readonly openFiles: OpenFiles
  readonly commitLog: CommitLog
  readonly queues: QueueTable
  readonly batchQueues: BatchQueues
  readonly queueWriter: QueueWriter
  readonly deletedTopics: DeletedTopics
  readonly index: KeyIndex | undefined
  readonly checkpoint: Checkpoint
  readonly watermarks: Watermarks
  readonly lifecycle: Lifecycle
  readonly bitMapOf: BitMapOf | undefined
}
