import {
  delayOfLevel,
  findProperty,
  parseDelayLevels,
  propertyNames,
  type RecordShape,
  recordLayout,
  storeTimestampAt,
  sysFlag,
  systemTopics,
  tagsCodeOf,
} from '@rocketmq-ts/model'
import { isAsciiText, readInt32, readInt64, readText } from '@rocketmq-ts/model/internal'
import type { BatchQueues } from '../consume-queue/batch-queues.ts'
import type { ConsumeQueue } from '../consume-queue/consume-queue.ts'
import { extAddressHigh } from '../consume-queue/consume-queue-ext.ts'
import { ENTRY_BYTES } from '../consume-queue/entries.ts'
import { isDirectoryName, type QueueTable } from '../consume-queue/queue-table.ts'
import type { QueueWriter } from '../consume-queue/queue-writer.ts'
import type { DeletedTopics } from '../deleted-topics.ts'
import type { KeyIndex } from '../index/key-index.ts'
import type { StoreOptions } from '../options.ts'
import { lightQueueOffsets } from './multi-dispatch.ts'

const TWO_32 = 4294967296

/** Bits for the filter bit map of a consume queue ext unit; undefined for none. */
export type BitMapOf = (topic: string, propertiesText: string) => Buffer | undefined

export interface DispatcherContext {
  readonly queues: QueueTable
  readonly batchQueues: BatchQueues
  readonly queueWriter: QueueWriter
  readonly deletedTopics: DeletedTopics
  /** Undefined: messages aren't indexed. */
  readonly index: KeyIndex | undefined
  readonly options: StoreOptions
  readonly bitMapOf: BitMapOf | undefined
}

/**
 * Builds consume queue and index entries from records of the log: at recovery, and wherever else a log arrives without its
 * queues. Idempotent for queues; the caller says from where on the index is to be built.
 */
export class Dispatcher {
  readonly #context: DispatcherContext
  readonly #delayLevelsMs: number[]
  #topic = ''
  /** Queues in which a record's number was greater than the next one: entries before it are missing. */
  readonly damaged = new Set<ConsumeQueue>()
  /** Only these get entries, when set, and are begun anew with their first record; for scans of the whole log. */
  rebuild: ReadonlySet<ConsumeQueue> | 'all' | undefined
  readonly #rebuilt = new Set<ConsumeQueue>()
  /** The scan begins at the log's first record: what it doesn't find is nowhere. */
  isWholeLog = false
  storeTimestamp = 0

  constructor(context: DispatcherContext) {
    this.#context = context
    this.#delayLevelsMs = parseDelayLevels(context.options.messageDelayLevel)
  }

  /** Whether a queue was begun anew. */
  isRebuilt(queue: ConsumeQueue): boolean {
    return this.#rebuilt.has(queue)
  }

  /** Dispatches the record at `start` of `buffer`, which lies at `physicalOffset` of the log. */
  dispatch(buffer: Buffer, start: number, shape: RecordShape, physicalOffset: number, toIndex: boolean): void {
    const flags = readInt32(buffer, start + recordLayout.sysFlag)
    const transaction = flags & sysFlag.transactionMask
    this.storeTimestamp = readInt64(buffer, start + storeTimestampAt(flags))
    if (!isAsciiText(buffer, shape.topicStart, shape.topicEnd, this.#topic)) {
      this.#topic = readText(buffer, shape.topicStart, shape.topicEnd)
    }
    const topic = this.#topic
    const properties = readText(buffer, shape.propertiesStart, shape.propertiesEnd)
    const queueId = readInt32(buffer, start + recordLayout.queueId)
    if (transaction === 0 || transaction === sysFlag.transactionCommit) {
      const queueOffset = readInt64(buffer, start + recordLayout.queueOffset)
      this.#toQueues(topic, queueId, queueOffset, physicalOffset, shape.totalSize, flags, properties)
    }
    if (toIndex && transaction !== sysFlag.transactionRollback) {
      this.#context.index?.put(
        this.#context.queues.topicHash(topic),
        findProperty(properties, propertyNames.uniqueKey),
        findProperty(properties, propertyNames.keys),
        physicalOffset,
        this.storeTimestamp,
      )
    }
  }

  #toQueues(
    topic: string,
    queueId: number,
    queueOffset: number,
    physicalOffset: number,
    size: number,
    flags: number,
    properties: string,
  ): void {
    const { batchQueues, queues } = this.#context
    if (queueId < 0 || !isDirectoryName(topic)) return
    this.#toLightQueues(topic, queueId, physicalOffset, size, properties)
    if (this.#context.deletedTopics.isDeleted(topic, physicalOffset, this.storeTimestamp)) return
    const tags = tagsCodeOf(findProperty(properties, propertyNames.tags))
    if (batchQueues.isBatchTopic(topic)) {
      const count = flags & sysFlag.innerBatch ? Number(findProperty(properties, propertyNames.innerNum) ?? 1) : 1
      batchQueues
        .getOrCreate(topic, queueId)
        .dispatch(physicalOffset, size, tags, this.storeTimestamp, queueOffset, count)
      return
    }
    let tagsHigh = tags >> 31
    let tagsLow = tags
    if (topic === systemTopics.schedule) {
      const deliverTime = scheduledTime(properties, this.#delayLevelsMs, this.storeTimestamp)
      if (deliverTime > 0) {
        tagsHigh = Math.floor(deliverTime / TWO_32)
        tagsLow = deliverTime | 0
      }
    }
    const queue = queues.getOrCreate(topic, queueId)
    this.#toQueue(queue, queueOffset, physicalOffset, size, tagsHigh, tagsLow, properties)
  }

  #toLightQueues(topic: string, queueId: number, physicalOffset: number, size: number, properties: string): void {
    const { batchQueues, deletedTopics, options, queues } = this.#context
    if (!options.enableLmq || !options.enableMultiDispatch || batchQueues.isBatchTopic(topic)) return
    const tags = tagsCodeOf(findProperty(properties, propertyNames.tags))
    for (const light of lightQueueOffsets(topic, queueId, properties)) {
      if (!isDirectoryName(light.topic)) continue
      if (deletedTopics.isDeleted(light.topic, physicalOffset, this.storeTimestamp)) continue
      const lightQueue = queues.getOrCreate(light.topic, light.queueId)
      this.#toQueue(lightQueue, light.queueOffset, physicalOffset, size, tags >> 31, tags, properties)
    }
  }

  #toQueue(
    queue: ConsumeQueue,
    queueOffset: number,
    physicalOffset: number,
    size: number,
    tagsHigh: number,
    tagsLow: number,
    properties: string,
  ): void {
    if (this.rebuild !== undefined) {
      if (this.rebuild !== 'all' && !this.rebuild.has(queue)) return
      if (!this.#rebuilt.has(queue)) this.#beginAnew(queue, queueOffset)
    }
    // Number 0 once more: the topic was deleted and made again, and what came before is no longer its.
    if (queueOffset === 0 && queue.nextOffset > 0 && physicalOffset >= queue.maxPhysicalOffset) {
      this.#beginAnew(queue, 0)
    }
    const isBeforeEnd = physicalOffset + size <= queue.maxPhysicalOffset
    if (isBeforeEnd || queueOffset < queue.nextOffset) {
      // A file that is missing at the front, or an end that says other numbers than the log.
      const isBeforeFiles = queueOffset * ENTRY_BYTES < queue.log.startOffset
      if (isBeforeFiles || !isBeforeEnd) this.damaged.add(queue)
      return
    }
    if (queueOffset > queue.nextOffset && !this.#bridgeGap(queue, queueOffset)) return
    let high = tagsHigh
    let low = tagsLow
    if (queue.ext !== undefined) {
      const bitMap = this.#context.bitMapOf?.(queue.topic, properties)
      const address = queue.ext.append(tagsHigh, tagsLow, this.storeTimestamp, bitMap)
      high = extAddressHigh(address)
      low = address | 0
    }
    queue.push(physicalOffset, size, high, low, this.storeTimestamp)
  }

  /** Queues that the log still knows; the others keep what they have. */
  #beginAnew(queue: ConsumeQueue, queueOffset: number): void {
    this.#rebuilt.add(queue)
    this.#context.queueWriter.remove(queue)
    queue.log.destroy()
    queue.ext?.truncateAfter(-1)
    queue.startAt(queueOffset, 0)
    queue.minOffset = queueOffset
  }

  /** True when the entry can be written behind the gap. */
  #bridgeGap(queue: ConsumeQueue, queueOffset: number): boolean {
    if (!this.isWholeLog) {
      // Entries that are missing may wait before the place where this scan began.
      this.damaged.add(queue)
      return false
    }
    if (queue.nextOffset === 0 && queue.log.segments.length === 0) {
      queue.startAt(queueOffset, 0)
      queue.minOffset = queueOffset
      return true
    }
    // The log itself lacks these messages. Each later one keeps its number all the same.
    while (queue.nextOffset < queueOffset) queue.pushBlank()
    return true
  }
}

/** When a message of the schedule topic is due; 0 without a level. Source: CommitLog#checkMessageAndReturnSize, 5.3.x. */
export function scheduledTime(properties: string, delayLevelsMs: readonly number[], storeTimestamp: number): number {
  const level = Number(findProperty(properties, propertyNames.delayTimeLevel) ?? 0)
  return level > 0 ? storeTimestamp + delayOfLevel(delayLevelsMs, level) : 0
}
