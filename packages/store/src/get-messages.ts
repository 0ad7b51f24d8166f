import { readInt32 } from '@rocketmq-ts/model/internal'
import type { CommitLog } from './commit-log/commit-log.ts'
import type { LogReader } from './commit-log/log-reader.ts'
import type { BatchConsumeQueue } from './consume-queue/batch-consume-queue.ts'
import type { BatchQueues } from './consume-queue/batch-queues.ts'
import type { ConsumeQueue } from './consume-queue/consume-queue.ts'
import { PRE_BLANK_SIZE } from './consume-queue/consume-queue.ts'
import { extAddressOf, isExtAddress } from './consume-queue/consume-queue-ext.ts'
import {
  ENTRY_BYTES,
  type EntryWindow,
  entryPhysicalOffset,
  entrySize,
  entryTagsHigh,
  entryTagsLow,
} from './consume-queue/entries.ts'
import type { EntryReader } from './consume-queue/entry-reader.ts'
import type { QueueTable } from './consume-queue/queue-table.ts'
import { FilteredScan } from './filtered-scan.ts'
import { matchesTags, type TagFilter, wantsRecord } from './message-filter.ts'
import type { StoreOptions } from './options.ts'
import type { Watermarks } from './watermarks.ts'

/** Source: GetMessageStatus, 5.3.x. */
export type GetStatus =
  | 'FOUND'
  | 'NO_MATCHED_MESSAGE'
  | 'MESSAGE_WAS_REMOVING'
  | 'OFFSET_FOUND_NULL'
  | 'OFFSET_OVERFLOW_BADLY'
  | 'OFFSET_OVERFLOW_ONE'
  | 'OFFSET_TOO_SMALL'
  | 'NO_MATCHED_LOGIC_QUEUE'
  | 'NO_MESSAGE_IN_QUEUE'

export interface GetRequest {
  readonly topic: string
  readonly queueId: number
  readonly offset: number
  readonly maxCount: number
  /** Bytes of the answer, except that one message of any size is always given. Undefined: the store's own limits only. */
  readonly maxBytes?: number | undefined
  readonly tagFilter?: TagFilter | undefined
  /** A small answer that is all in memory may come as {@link GetResult.deferred}, so that it is copied once only. */
  readonly deferCopy?: boolean | undefined
}

export interface GetResult {
  readonly status: GetStatus
  readonly nextBeginOffset: number
  readonly minOffset: number
  readonly maxOffset: number
  /** The messages lie so far back that a slave could read them as well. */
  readonly suggestPullingFromSlave: boolean
  readonly messageCount: number
  /** Whole records, one behind the other over all parts. They stay valid; keep them no longer than needed, they hold larger buffers. */
  readonly parts: Buffer[]
  /** Instead of `parts`: the records, still where they lie. To be copied before anything else is asked of the store. */
  readonly deferred: DeferredRecords | undefined
  readonly bytes: number
}

/** Records at the end of the log that nobody has copied yet. */
export class DeferredRecords {
  readonly #logReader: LogReader
  readonly #offsets: readonly number[]
  readonly #sizes: readonly number[]

  constructor(logReader: LogReader, offsets: readonly number[], sizes: readonly number[]) {
    this.#logReader = logReader
    this.#offsets = offsets
    this.#sizes = sizes
  }

  /** Copies the records, one behind the other, to `target` from `at` on; the offset behind the last. */
  copyTo(target: Buffer, at: number): number {
    return this.#logReader.copyHot(this.#offsets, this.#sizes, target, at)
  }
}

const noParts: Buffer[] = []
/**
 * Records that lie closer than that on average are read with what is between them: a read of its own costs as much as some
 * 16 KiB more of a block, and readers of the neighbouring queues find the block there.
 */
const DENSE_DISTANCE_MAX_BYTES = 16 * 1024
const MAX_BYTES_LEAST = 100
const MAX_BYTES_MOST = 128 * 1024 * 1024

interface Selection {
  readonly offsets: number[]
  readonly sizes: number[]
  bytes: number
  messageCount: number
  nextOffset: number
  lastPhysicalOffset: number
  sawRemoved: boolean
  isAllHot: boolean
}

export interface MessageGetterContext {
  readonly commitLog: CommitLog
  readonly watermarks: Watermarks
  readonly queues: QueueTable
  readonly batchQueues: BatchQueues
  readonly entryReader: EntryReader
  readonly logReader: LogReader
  readonly options: StoreOptions
  readonly totalMemoryBytes: number
}

/**
 * Answers pulls. Order of the checks and the limits of an answer are Java's.
 * Source: DefaultMessageStore#getMessage, 5.3.x.
 */
export class MessageGetter {
  readonly #context: MessageGetterContext

  constructor(context: MessageGetterContext) {
    this.#context = context
  }

  /** A promise only when something must be read from files. */
  get(request: GetRequest): GetResult | Promise<GetResult> {
    const { queues, batchQueues } = this.#context
    const queue = queues.get(request.topic, request.queueId)
    if (queue === undefined) {
      const batchQueue = batchQueues.get(request.topic, request.queueId)
      if (batchQueue !== undefined) return this.#getFromBatch(batchQueue, request)
      return emptyResult('NO_MATCHED_LOGIC_QUEUE', 0, 0, 0)
    }
    const { minOffset, visibleOffset: maxOffset } = queue
    const refused = outOfRange(request.offset, minOffset, maxOffset)
    if (refused !== undefined) return refused
    const window = this.#context.entryReader.window(queue, request.offset)
    return window instanceof Promise
      ? window.then(loaded => this.#fromWindow(queue, request, loaded))
      : this.#fromWindow(queue, request, window)
  }

  #fromWindow(queue: ConsumeQueue, request: GetRequest, window: EntryWindow): GetResult | Promise<GetResult> {
    if (window.count <= 0) {
      const next = nextFileStart(queue, request.offset)
      return emptyResult('OFFSET_FOUND_NULL', next, queue.minOffset, queue.visibleOffset)
    }
    if (wantsRecord(request.tagFilter)) return this.#getFiltered(queue, request, request.tagFilter, window)
    const selection = this.#select(queue, request, window)
    const { offsets, sizes, bytes } = selection
    if (offsets.length === 0) return this.#result(queue, selection, noParts, 0)
    if (!selection.isAllHot) return this.#readSelected(queue, selection)
    const { logReader } = this.#context
    if (request.deferCopy === true && logReader.isCopied(bytes)) {
      const deferred = new DeferredRecords(logReader, offsets, sizes)
      return this.#result(queue, selection, noParts, selection.messageCount, deferred)
    }
    return this.#result(queue, selection, logReader.hotParts(offsets, sizes, bytes), selection.messageCount)
  }

  /** For a filter that looks at records. */
  #getFiltered(
    queue: ConsumeQueue,
    request: GetRequest,
    filter: TagFilter,
    window: EntryWindow,
  ): GetResult | Promise<GetResult> {
    const { commitLog, logReader, options, watermarks } = this.#context
    const maxBytes = clampBytes(request.maxBytes)
    const hotFrom = watermarks.written - this.#memoryBytes()
    const scan = new FilteredScan(window, {
      logReader,
      filter,
      maxCount: request.maxCount,
      entryMax: scanEnd(options, request.maxCount, window),
      minPhysicalOffset: commitLog.minOffset,
      matchesEntry: (ints, index) => matchesEntry(queue, filter, ints, index),
      isFull: (bytes, count, physicalOffset) => isFull(options, bytes, count, physicalOffset >= hotFrom, maxBytes),
    })
    const waiting = scan.run()
    const result = () => {
      const { bytes, lastPhysicalOffset, sawRemoved } = scan
      const nextOffset = request.offset + scan.scanned
      const selection = { ...newSelection(request.offset), bytes, lastPhysicalOffset, sawRemoved, nextOffset }
      return this.#result(queue, selection, scan.parts, scan.parts.length)
    }
    return waiting === undefined ? result() : waiting.then(result)
  }

  #select(queue: ConsumeQueue, request: GetRequest, window: EntryWindow): Selection {
    const { commitLog, logReader, options, watermarks } = this.#context
    const { ints, first } = window
    const { maxCount, tagFilter } = request
    const maxBytes = clampBytes(request.maxBytes)
    const end = scanEnd(options, maxCount, window)
    const minPhysicalOffset = commitLog.minOffset
    const hotFrom = watermarks.written - this.#memoryBytes()
    const selection: Selection = newSelection(request.offset)
    let i = 0
    for (; i < end; i++) {
      const physicalOffset = entryPhysicalOffset(ints, first + i)
      const size = entrySize(ints, first + i)
      if (physicalOffset < minPhysicalOffset || size === PRE_BLANK_SIZE) {
        selection.sawRemoved = true
        continue
      }
      selection.lastPhysicalOffset = physicalOffset
      const count = selection.messageCount
      if (count >= maxCount) break
      if (count > 0 && isFull(options, selection.bytes + size, count + 1, physicalOffset >= hotFrom, maxBytes)) break
      if (tagFilter !== undefined && !matchesEntry(queue, tagFilter, ints, first + i)) continue
      selection.offsets.push(physicalOffset)
      selection.sizes.push(size)
      selection.bytes += size
      selection.messageCount++
      if (selection.isAllHot && !logReader.isHot(physicalOffset, size)) selection.isAllHot = false
    }
    selection.nextOffset = request.offset + i
    return selection
  }

  async #readSelected(queue: ConsumeQueue, selection: Selection): Promise<GetResult> {
    const { offsets, sizes } = selection
    const records = await this.#records(selection)
    const parts: Buffer[] = []
    let bytes = 0
    for (let i = 0; i < offsets.length; i++) {
      const record = records[i]
      if (record === undefined || readInt32(record, 0) !== sizes[i]) {
        selection.sawRemoved = true
        continue
      }
      parts.push(record)
      bytes += record.length
    }
    selection.bytes = bytes
    if (parts.length === 0) selection.sawRemoved = true
    return this.#result(queue, selection, parts, parts.length)
  }

  /** The selected records, from memory or files; undefined in the place of one that is gone. */
  async #records(selection: Selection): Promise<(Buffer | undefined)[]> {
    const { logReader } = this.#context
    const { offsets, sizes } = selection
    const first = offsets[0]!
    const end = offsets[offsets.length - 1]! + sizes[sizes.length - 1]!
    if (end - first > offsets.length * DENSE_DISTANCE_MAX_BYTES + selection.bytes) {
      return logReader.readScattered(offsets, sizes)
    }
    if (!selection.isAllHot) await logReader.prefetch(first, end)
    const records: (Buffer | undefined)[] = []
    for (let i = 0; i < offsets.length; i++) {
      const read = logReader.read(offsets[i]!, sizes[i]!)
      records.push(read instanceof Promise ? await read : read)
    }
    return records
  }

  #result(
    queue: { minOffset: number; maxOffset: number },
    selection: Selection,
    parts: Buffer[],
    count: number,
    deferred?: DeferredRecords,
  ): GetResult {
    const behind = this.#context.watermarks.written - selection.lastPhysicalOffset
    return {
      status: count > 0 ? 'FOUND' : selection.sawRemoved ? 'MESSAGE_WAS_REMOVING' : 'NO_MATCHED_MESSAGE',
      nextBeginOffset: selection.nextOffset,
      minOffset: queue.minOffset,
      maxOffset: queue.maxOffset,
      suggestPullingFromSlave: selection.lastPhysicalOffset >= 0 && behind > this.#memoryBytes(),
      messageCount: count,
      parts: count > 0 ? parts : noParts,
      deferred,
      bytes: count > 0 ? selection.bytes : 0,
    }
  }

  #getFromBatch(queue: BatchConsumeQueue, request: GetRequest): GetResult | Promise<GetResult> {
    const refused = outOfRange(request.offset, queue.minOffset, queue.maxOffset)
    if (refused !== undefined) return refused
    return this.#readBatch(queue, request)
  }

  async #readBatch(queue: BatchConsumeQueue, request: GetRequest): Promise<GetResult> {
    const { commitLog, logReader, options, watermarks } = this.#context
    const maxBytes = clampBytes(request.maxBytes)
    const hotFrom = watermarks.written - this.#memoryBytes()
    const selection = newSelection(request.offset)
    const parts: Buffer[] = []
    const [, entryEnd] = queue.entryRange()
    for (let index = queue.entryIndexOf(request.offset); index >= 0 && index < entryEnd; index++) {
      const entry = queue.entryAt(index)
      if (entry === undefined || entry.baseOffset + entry.count > queue.visibleOffset) break
      const isHot = entry.physicalOffset >= hotFrom
      const total = selection.messageCount + entry.count
      if (parts.length > 0 && total > request.maxCount) break
      if (parts.length > 0 && isFull(options, selection.bytes + entry.size, total, isHot, maxBytes)) break
      selection.lastPhysicalOffset = entry.physicalOffset
      selection.nextOffset = entry.baseOffset + entry.count
      if (!matchesTags(request.tagFilter, entry.tagsHigh, entry.tagsLow, undefined)) continue
      const record =
        entry.physicalOffset < commitLog.minOffset ? undefined : await logReader.read(entry.physicalOffset, entry.size)
      if (record === undefined) {
        selection.sawRemoved = true
        continue
      }
      parts.push(record)
      selection.bytes += record.length
      selection.messageCount = total
    }
    return this.#result(queue, selection, parts, selection.messageCount)
  }

  #memoryBytes(): number {
    return (this.#context.totalMemoryBytes * this.#context.options.accessMessageInMemoryMaxPercent) / 100
  }
}

function newSelection(offset: number): Selection {
  return {
    offsets: [],
    sizes: [],
    bytes: 0,
    messageCount: 0,
    nextOffset: offset,
    lastPhysicalOffset: -1,
    sawRemoved: false,
    isAllHot: true,
  }
}

/** How many entries of the window one request looks at. */
function scanEnd(options: StoreOptions, maxCount: number, window: EntryWindow): number {
  const scanMax = Math.max(options.filterScanMaxBytes, maxCount * ENTRY_BYTES) / ENTRY_BYTES
  return Math.min(window.count, Math.ceil(scanMax))
}

function clampBytes(maxBytes: number | undefined): number {
  if (maxBytes === undefined) return MAX_BYTES_MOST
  return Math.min(Math.max(maxBytes, MAX_BYTES_LEAST), MAX_BYTES_MOST)
}

/** Whether an answer of so many bytes and messages goes beyond the limits. */
function isFull(options: StoreOptions, bytes: number, count: number, isHot: boolean, maxBytes: number): boolean {
  if (bytes > maxBytes) return true
  return isHot
    ? bytes > options.transferInMemoryMaxBytes || count > options.transferInMemoryMaxCount
    : bytes > options.transferInDiskMaxBytes || count > options.transferInDiskMaxCount
}

/** Whether an entry of `queue` passes `filter`, by the extension's tags code where it has one. */
export function matchesEntry(queue: ConsumeQueue, filter: TagFilter, ints: Int32Array, index: number): boolean {
  const high = entryTagsHigh(ints, index)
  const low = entryTagsLow(ints, index)
  if (queue.ext === undefined || !isExtAddress(high, low)) return matchesTags(filter, high, low, undefined)
  const unit = queue.ext.get(extAddressOf(high, low))
  return unit === undefined || matchesTags(filter, unit.tagsHigh, unit.tagsLow, unit)
}

function outOfRange(offset: number, minOffset: number, maxOffset: number): GetResult | undefined {
  if (maxOffset === 0) return emptyResult('NO_MESSAGE_IN_QUEUE', 0, minOffset, maxOffset)
  if (offset < minOffset) return emptyResult('OFFSET_TOO_SMALL', minOffset, minOffset, maxOffset)
  if (offset === maxOffset) return emptyResult('OFFSET_OVERFLOW_ONE', offset, minOffset, maxOffset)
  if (offset > maxOffset) return emptyResult('OFFSET_OVERFLOW_BADLY', maxOffset, minOffset, maxOffset)
  return undefined
}

function emptyResult(status: GetStatus, nextBeginOffset: number, minOffset: number, maxOffset: number): GetResult {
  return {
    status,
    nextBeginOffset,
    minOffset,
    maxOffset,
    suggestPullingFromSlave: false,
    messageCount: 0,
    parts: noParts,
    deferred: undefined,
    bytes: 0,
  }
}

function nextFileStart(queue: ConsumeQueue, offset: number): number {
  const entriesPerFile = queue.log.fileSizeBytes / ENTRY_BYTES
  return offset - (offset % entriesPerFile) + entriesPerFile
}
