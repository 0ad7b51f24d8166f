import {
  parseDelayLevels,
  propertyNames,
  removeProperty,
  sysFlag,
  systemTopics,
  V1_TOPIC_LIMIT_BYTES,
} from '@rocketmq-ts/model'
import type { AppendRecord, AppendResult, PutStatus } from '../append-record.ts'
import type { ConsumeQueue } from '../consume-queue/consume-queue.ts'
import { extAddressHigh } from '../consume-queue/consume-queue-ext.ts'
import { isDirectoryName } from '../consume-queue/queue-table.ts'
import { scheduledTime } from '../dispatch/dispatcher.ts'
import { lightQueuesOf, withLightQueueOffsets } from '../dispatch/multi-dispatch.ts'
import type { StoreCore } from '../store-core.ts'
import { encodedSizeMax, encodeRecord } from './encode-record.ts'

/**
 * Appends messages. Budget per message besides the encoding: one look-up of the queue, one entry in the queue's memory, the index
 * entries; no allocation, no system call. What belongs to rare features is behind one flag that is worked out once a turn.
 */

const TWO_32 = 4294967296
const RETRY_TOPIC_MAX_BYTES = 255
const RETRY_PREFIX = '%RETRY%'
/** What a record may have beside the greatest body. */
const RECORD_OVERHEAD_MAX_BYTES = 64 * 1024

export class Appender {
  readonly #core: StoreCore
  readonly #onPending: () => void
  readonly #result: AppendResult = {
    status: 'PUT_OK',
    physicalOffset: 0,
    endOffset: 0,
    queueOffset: 0,
    storeTimestamp: 0,
    physicalOffsets: [],
  }
  /** Number of the current turn; queues that carry it are in `touched`. */
  #turn = 1
  /** Queues that got entries in this turn. */
  readonly touched: ConsumeQueue[] = []
  touchedBatch = false
  /** Of the newest record. */
  lastStoreTimestamp = 0
  // Options as of the beginning of this turn.
  #isTurnOpen = false
  #messageSizeMaxBytes = 0
  #appendCrc = false
  #isIndexed = false
  #isMultiDispatch = false
  #delayLevelsText = ''
  #delayLevelsMs: number[] = []

  /** `onPending` is called with the first append of a turn. */
  constructor(core: StoreCore, onPending: () => void) {
    this.#core = core
    this.#onPending = onPending
  }

  /** Appends one message. The result is overwritten by the next append. */
  append(record: AppendRecord): AppendResult {
    const refusal = this.#refusalOf(record)
    if (refusal !== undefined) return this.#refuse(refusal)
    const { batchQueues, commitLog } = this.#core
    if (this.#isMultiDispatch || this.#appendCrc || batchQueues.isBatchTopic(record.topic)) {
      return this.#appendSpecial(record)
    }
    const queue = this.#queueOf(record.topic, record.queueId)
    if (queue === undefined) return this.#refuse('MESSAGE_ILLEGAL')
    const storeTimestamp = this.#core.clock.now()
    const isQueued = isForQueues(record.sysFlag)
    const queueOffset = isQueued ? queue.nextOffset : 0
    const size = this.#encode(record, queueOffset, storeTimestamp)
    if (size < 0) return this.#refuse(this.#encodeFailure)
    const physicalOffset = commitLog.tail.appendedOffset - size
    if (isQueued) this.#enqueue(queue, record, physicalOffset, size, storeTimestamp)
    this.#toIndex(record, queue.topicHash, physicalOffset, storeTimestamp)
    return this.#accept(physicalOffset, queueOffset, storeTimestamp)
  }

  /** Appends messages of one topic and queue: all in one file and with consecutive offsets, or none. */
  appendBatch(records: readonly AppendRecord[]): AppendResult {
    const [first] = records
    if (first === undefined) return this.#refuse('MESSAGE_ILLEGAL')
    for (const record of records) {
      const refusal = this.#refusalOf(record)
      if (refusal !== undefined) return this.#refuse(refusal)
      if (record.topic !== first.topic || record.queueId !== first.queueId) return this.#refuse('MESSAGE_ILLEGAL')
    }
    if (this.#core.batchQueues.isBatchTopic(first.topic)) return this.#refuse('MESSAGE_ILLEGAL')
    const queue = this.#queueOf(first.topic, first.queueId)
    if (queue === undefined) return this.#refuse('MESSAGE_ILLEGAL')
    const storeTimestamp = this.#core.clock.now()
    const prepared = this.#appendCrc ? records.map(withoutCrcProperty) : records
    const sizes = this.#encodeAll(prepared, queue.nextOffset, storeTimestamp)
    if (sizes === undefined) return this.#refuse(this.#encodeFailure)
    const queueOffset = queue.nextOffset
    let physicalOffset = this.#core.commitLog.tail.appendedOffset - sizes.reduce((sum, size) => sum + size, 0)
    const result = this.#accept(physicalOffset, queueOffset, storeTimestamp)
    for (let i = 0; i < sizes.length; i++) {
      this.#enqueue(queue, prepared[i]!, physicalOffset, sizes[i]!, storeTimestamp)
      this.#toIndex(prepared[i]!, queue.topicHash, physicalOffset, storeTimestamp)
      result.physicalOffsets.push(physicalOffset)
      physicalOffset += sizes[i]!
    }
    return result
  }

  /** The turn is over: its records are written, or rolled back. */
  endTurn(): void {
    this.touched.length = 0
    this.touchedBatch = false
    this.#turn++
    this.#isTurnOpen = false
  }

  #encodeFailure: PutStatus = 'PROPERTIES_SIZE_EXCEEDED'

  #refusalOf(record: AppendRecord): PutStatus | undefined {
    if (!this.#core.lifecycle.isWritable) return 'SERVICE_NOT_AVAILABLE'
    if (!this.#isTurnOpen) this.#openTurn()
    const topicBytes = record.topicBytes.length
    if (topicBytes > V1_TOPIC_LIMIT_BYTES && !this.#allowsLongTopic(record)) return 'MESSAGE_ILLEGAL'
    if (record.queueId < 0) return 'MESSAGE_ILLEGAL'
    return record.body.length > this.#messageSizeMaxBytes ? 'MESSAGE_ILLEGAL' : undefined
  }

  /** The queue, made when it is new; undefined for a topic that can't have a directory. */
  #queueOf(topic: string, queueId: number): ConsumeQueue | undefined {
    const { queues } = this.#core
    const queue = queues.get(topic, queueId)
    if (queue !== undefined) return queue
    return isDirectoryName(topic) ? queues.getOrCreate(topic, queueId) : undefined
  }

  #allowsLongTopic(record: AppendRecord): boolean {
    return (
      record.topic.startsWith(RETRY_PREFIX) &&
      record.topicBytes.length <= RETRY_TOPIC_MAX_BYTES &&
      this.#core.options.autoMessageVersionOnTopicLen
    )
  }

  #openTurn(): void {
    const { options, index } = this.#core
    this.#isTurnOpen = true
    this.#messageSizeMaxBytes = options.messageSizeMaxBytes
    this.#appendCrc = options.enabledAppendPropCrc
    this.#isIndexed = index !== undefined && options.messageIndexEnable
    this.#isMultiDispatch = options.enableLmq && options.enableMultiDispatch
    if (options.messageDelayLevel !== this.#delayLevelsText) {
      this.#delayLevelsText = options.messageDelayLevel
      this.#delayLevelsMs = parseDelayLevels(options.messageDelayLevel)
    }
    this.#onPending()
  }

  /** Encodes `record` at the end of the log, in the next file if it must be. The size, or −1 with `#encodeFailure` set. */
  #encode(record: AppendRecord, queueOffset: number, storeTimestamp: number): number {
    const { commitLog } = this.#core
    const { tail } = commitLog
    const sizeMax = encodedSizeMax(record)
    const chunk = tail.reserve(sizeMax)
    const size = encodeRecord(chunk, 0, record, queueOffset, tail.appendedOffset, storeTimestamp, this.#appendCrc)
    if (size < 0) return this.#fail('PROPERTIES_SIZE_EXCEEDED')
    if (size > this.#messageSizeMaxBytes + RECORD_OVERHEAD_MAX_BYTES) return this.#fail('MESSAGE_ILLEGAL')
    if (!commitLog.fits(size)) {
      if (!commitLog.couldFit(size)) return this.#fail('UNKNOWN_ERROR')
      commitLog.roll()
      const next = tail.reserve(sizeMax)
      encodeRecord(next, 0, record, queueOffset, tail.appendedOffset, storeTimestamp, this.#appendCrc)
      tail.commit(next, size)
      return size
    }
    tail.commit(chunk, size)
    return size
  }

  /** The sizes of the records, encoded one behind the other; undefined with `#encodeFailure` set. */
  #encodeAll(records: readonly AppendRecord[], queueOffset: number, storeTimestamp: number): number[] | undefined {
    const { commitLog } = this.#core
    const { tail } = commitLog
    const sizeMax = records.reduce((sum, record) => sum + encodedSizeMax(record), 0)
    for (;;) {
      const chunk = tail.reserve(sizeMax)
      const sizes: number[] = []
      let total = 0
      for (let i = 0; i < records.length; i++) {
        const physicalOffset = tail.appendedOffset + total
        const record = records[i]!
        const offset = queueOffset + i
        const size = encodeRecord(chunk, total, record, offset, physicalOffset, storeTimestamp, this.#appendCrc)
        if (size < 0) {
          this.#fail('PROPERTIES_SIZE_EXCEEDED')
          return undefined
        }
        sizes.push(size)
        total += size
      }
      if (commitLog.fits(total)) {
        tail.commit(chunk, total)
        return sizes
      }
      if (!commitLog.couldFit(total)) {
        this.#fail('UNKNOWN_ERROR')
        return undefined
      }
      commitLog.roll()
    }
  }

  #fail(status: PutStatus): -1 {
    this.#encodeFailure = status
    return -1
  }

  #enqueue(
    queue: ConsumeQueue,
    record: AppendRecord,
    physicalOffset: number,
    size: number,
    storeTimestamp: number,
  ): void {
    if (queue.touchedTurn !== this.#turn) this.#touch(queue)
    let tagsLow = record.tagsCode
    let tagsHigh = tagsLow >> 31
    if (record.topic === systemTopics.schedule) {
      const time = record.delayDeliverTime || this.#scheduledTime(record, storeTimestamp)
      if (time > 0) {
        tagsHigh = Math.floor(time / TWO_32)
        tagsLow = time | 0
      }
    }
    if (queue.ext !== undefined) {
      const bitMap = this.#core.bitMapOf?.(record.topic, propertiesText(record))
      const address = queue.ext.append(tagsHigh, tagsLow, storeTimestamp, bitMap)
      tagsHigh = extAddressHigh(address)
      tagsLow = address | 0
    }
    queue.push(physicalOffset, size, tagsHigh, tagsLow, storeTimestamp)
  }

  #touch(queue: ConsumeQueue): void {
    queue.touchedTurn = this.#turn
    this.touched.push(queue)
  }

  #scheduledTime(record: AppendRecord, storeTimestamp: number): number {
    return scheduledTime(propertiesText(record), this.#delayLevelsMs, storeTimestamp)
  }

  #toIndex(record: AppendRecord, topicHash: number, physicalOffset: number, storeTimestamp: number): void {
    if (!this.#isIndexed || (record.sysFlag & sysFlag.transactionMask) === sysFlag.transactionRollback) return
    this.#core.index!.put(topicHash, record.uniqueKey, record.keys, physicalOffset, storeTimestamp)
  }

  /** Messages of light queues, of batch topics, and with an appended CRC. */
  #appendSpecial(record: AppendRecord): AppendResult {
    const { batchQueues, commitLog, queues } = this.#core
    const storeTimestamp = this.#core.clock.now()
    let prepared = this.#appendCrc ? withoutCrcProperty(record) : record
    const isQueued = isForQueues(record.sysFlag)
    const text = propertiesText(prepared)
    const lights = this.#isMultiDispatch && isQueued ? lightQueuesOf(record.topic, record.queueId, text) : []
    if (![record, ...lights].every(({ topic }) => isDirectoryName(topic))) return this.#refuse('MESSAGE_ILLEGAL')
    const lightQueues = lights.map(light => queues.getOrCreate(light.topic, light.queueId))
    if (lightQueues.length > 0) {
      const properties = withLightQueueOffsets(
        text,
        lightQueues.map(queue => queue.nextOffset),
      )
      prepared = { ...prepared, properties }
    }
    const isBatch = batchQueues.isBatchTopic(record.topic)
    const queue = isBatch
      ? batchQueues.getOrCreate(record.topic, record.queueId)
      : queues.getOrCreate(record.topic, record.queueId)
    const queueOffset = isQueued ? queue.nextOffset : 0
    const size = this.#encode(prepared, queueOffset, storeTimestamp)
    if (size < 0) return this.#refuse(this.#encodeFailure)
    const physicalOffset = commitLog.tail.appendedOffset - size
    if (isQueued) {
      if ('touchedTurn' in queue) this.#enqueue(queue, prepared, physicalOffset, size, storeTimestamp)
      else queue.push(physicalOffset, size, record.tagsCode, storeTimestamp, 1)
      for (const lightQueue of lightQueues) {
        this.#enqueue(lightQueue, prepared, physicalOffset, size, storeTimestamp)
      }
    }
    if (isBatch) this.touchedBatch = true
    this.#toIndex(prepared, queues.topicHash(record.topic), physicalOffset, storeTimestamp)
    return this.#accept(physicalOffset, queueOffset, storeTimestamp)
  }

  #refuse(status: PutStatus): AppendResult {
    const result = this.#result
    result.status = status
    result.physicalOffset = -1
    result.endOffset = -1
    result.queueOffset = -1
    result.storeTimestamp = 0
    if (result.physicalOffsets.length > 0) result.physicalOffsets = []
    return result
  }

  #accept(physicalOffset: number, queueOffset: number, storeTimestamp: number): AppendResult {
    const { commitLog, watermarks } = this.#core
    const { appendedOffset } = commitLog.tail
    watermarks.appended = appendedOffset
    this.lastStoreTimestamp = storeTimestamp
    const result = this.#result
    result.status = 'PUT_OK'
    result.physicalOffset = physicalOffset
    result.endOffset = appendedOffset
    result.queueOffset = queueOffset
    result.storeTimestamp = storeTimestamp
    if (result.physicalOffsets.length > 0) result.physicalOffsets = []
    return result
  }
}

/** Prepared and rolled back transaction records are in the log only. */
function isForQueues(flags: number): boolean {
  const transaction = flags & sysFlag.transactionMask
  return transaction === 0 || transaction === sysFlag.transactionCommit
}

function propertiesText(record: AppendRecord): string {
  return typeof record.properties === 'string' ? record.properties : record.properties.toString('utf8')
}

function withoutCrcProperty(record: AppendRecord): AppendRecord {
  const text = propertiesText(record)
  return text.includes(propertyNames.crc32)
    ? { ...record, properties: removeProperty(text, propertyNames.crc32) }
    : record
}
