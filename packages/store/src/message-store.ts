import { dirname } from 'node:path'
import { javaHashCode } from '@rocketmq-ts/model'
import { readInt32 } from '@rocketmq-ts/model/internal'
import { type DiskLock, RocketMqError } from '@rocketmq-ts/runtime'
import type { AppendRecord, AppendResult } from './append-record.ts'
import { buildCore, defaultTuning, recoverCore } from './build-core.ts'
import { Appender } from './commit-log/appender.ts'
import { LogReader } from './commit-log/log-reader.ts'
import type { RecoveryResult } from './commit-log/recovery.ts'
import type { ConsumeQueue } from './consume-queue/consume-queue.ts'
import { entryPhysicalOffset, entrySize } from './consume-queue/entries.ts'
import { EntryReader } from './consume-queue/entry-reader.ts'
import { type GetRequest, type GetResult, MessageGetter, matchesEntry } from './get-messages.ts'
import type { StoreState } from './lifecycle.ts'
import { Maintenance } from './maintenance.ts'
import { matchesRecord, type TagFilter, wantsRecord } from './message-filter.ts'
import { physicalOffsetOf, searchByTime, storeTimeAt, type TimeBoundary } from './offset-search.ts'
import { QueueRemoval } from './queue-removal.ts'
import { Retention } from './retention.ts'
import { OpenFiles } from './segment/open-files.ts'
import type { StoreCore, StoreParameters } from './store-core.ts'
import {
  type AnyQueue,
  type ArrivalListener,
  type FailureListener,
  type FlushedListener,
  TurnWriter,
  type WrittenListener,
} from './turn-writer.ts'
import { Watermarks } from './watermarks.ts'

/** What a key query finds. */
export interface IndexQueryResult {
  /** Whole records, by physical offset. */
  readonly records: Buffer[]
  readonly lastUpdateTimestamp: number
  readonly lastUpdatePhysicalOffset: number
}

/**
 * A store directory in use: commit log, consume queues, key index. One thread; everything synchronous unless it reads cold data.
 *
 * An appended message is in memory until the end of the turn, when one write takes all of them to the kernel and `onWritten` tells how
 * far the log has come: no acknowledgement may leave before. With SYNC_FLUSH acknowledge on `onFlushed`.
 */
export class MessageStore {
  readonly #core: StoreCore
  readonly #lock: DiskLock
  readonly #appender: Appender
  readonly #writer: TurnWriter
  readonly #maintenance: Maintenance
  readonly #retention: Retention
  readonly #removal: QueueRemoval
  readonly #logReader: LogReader
  readonly #entryReader = new EntryReader()
  readonly #getter: MessageGetter
  readonly #leaveTurn: (() => void)[] = []
  #closing: Promise<void> | undefined

  /**
   * Locks the directory, recovers it and begins to serve. Rejects with `STORE_LOCKED` when another broker has it, `STORE_CORRUPT` when a
   * file can't be a part of it, `DISK_FULL` or `DISK_FAILED`; then nothing is left open or locked.
   */
  static async open(parameters: StoreParameters): Promise<MessageStore> {
    const { disk, directory } = parameters
    if (disk.stat(directory) === undefined) {
      disk.makeDirectory(directory)
      disk.syncDirectory(dirname(directory))
    }
    const lock = disk.lock(`${directory}/lock`)
    // Half of what the process may open is for sockets and everything else.
    const openFilesMax = Math.floor((disk.openFilesLimit() ?? Number.POSITIVE_INFINITY) / 2)
    const openFiles = new OpenFiles(
      disk,
      Math.max(16, Math.min(openFilesMax, parameters.tuning?.openFilesMax ?? defaultTuning.openFilesMax)),
    )
    try {
      const core = buildCore(parameters, openFiles)
      const isCleanExit = disk.stat(`${directory}/abort`) === undefined
      core.checkpoint.load()
      const recovered = await recoverCore(core, isCleanExit)
      const store = new MessageStore(core, lock, recovered)
      store.#start()
      return store
    } catch (error) {
      openFiles.closeAll()
      lock.release()
      throw error
    }
  }

  private constructor(core: StoreCore, lock: DiskLock, recovered: RecoveryResult) {
    this.#core = core
    this.#lock = lock
    core.commitLog.startAt(recovered.endOffset)
    Object.assign(core.watermarks, new Watermarks(recovered.endOffset))
    // What a killed process wrote is there, but perhaps not on the device.
    core.watermarks.flushed = Math.min(recovered.durable.offset, recovered.endOffset)
    let writer: TurnWriter | undefined
    this.#appender = new Appender(core, () => writer?.openTurn())
    this.#appender.lastStoreTimestamp = recovered.lastStoreTimestamp
    this.#writer = new TurnWriter(core, this.#appender)
    writer = this.#writer
    this.#maintenance = new Maintenance(core, this.#appender, this.#writer, recovered)
    const onFilesRemoved = () => this.#maintenance.prepareRemoval()
    this.#retention = new Retention(core, onFilesRemoved, () => this.#maintenance.canWrite)
    this.#removal = new QueueRemoval(core, onFilesRemoved, queue => this.#entryReader.forget(queue))
    this.#logReader = new LogReader(core.commitLog, core.watermarks, core.tuning.coldCacheBytes)
    this.#getter = new MessageGetter({
      ...core,
      entryReader: this.#entryReader,
      logReader: this.#logReader,
      totalMemoryBytes: core.tuning.totalMemoryBytes,
    })
  }

  #start(): void {
    const { disk, directory, lifecycle, queueWriter, turn } = this.#core
    queueWriter.onQueueWritten = queue => this.#maintenance.noteWritten(queue)
    queueWriter.onFailure = error => this.#writer.reportWriteFailure('a consume queue could not be written', error)
    // Both durable before the first message: a start after power loss must know that the stop wasn't clean.
    this.#maintenance.saveFirst()
    disk.writeFile(`${directory}/abort`, String(process.pid), { sync: true })
    disk.syncDirectory(directory)
    lifecycle.move('opened', 'recovered')
    this.#leaveTurn.push(
      turn.onEnd('write', () => this.#writer.endTurn()),
      turn.onEnd('wake', () => this.#writer.tellArrivals()),
    )
    this.#maintenance.start()
    this.requestFlush(this.#core.watermarks.written)
    this.#retention.start()
  }

  /** Appends one message; the result is overwritten by the next append. What it says holds when `onWritten` reaches `endOffset`. */
  append(record: AppendRecord): AppendResult {
    return this.#writeIfMuch(this.#appender.append(record))
  }

  /** Appends messages of one topic and queue: consecutive offsets, in one file, all or none. */
  appendBatch(records: readonly AppendRecord[]): AppendResult {
    return this.#writeIfMuch(this.#appender.appendBatch(records))
  }

  #writeIfMuch(result: AppendResult): AppendResult {
    const { tail } = this.#core.commitLog
    if (tail.unwrittenBytes <= this.#core.tuning.turnBytesMax) return result
    this.#writer.writeNow()
    // A failed write took the record back; whoever appended before it has been told.
    if (tail.appendedOffset < result.endOffset) result.status = 'SERVICE_NOT_AVAILABLE'
    return result
  }

  /** Physical offsets that the log has reached. Read only. */
  get watermarks(): Readonly<Watermarks> {
    return this.#core.watermarks
  }

  /** Called at the end of each turn with appends: everything below the offset survives a killed process. */
  onWritten(listener: WrittenListener): void {
    this.#writer.onWritten(listener)
  }

  /** Called when everything below the offset survives power loss. */
  onFlushed(listener: FlushedListener): void {
    this.#writer.onFlushed(listener)
  }

  /** Called when records that were appended are lost again. */
  onFailure(listener: FailureListener): void {
    this.#writer.onFailure(listener)
  }

  /** Called in phase `wake` for each queue with new messages. */
  onArrival(listener: ArrivalListener): void {
    this.#writer.onArrival(listener)
  }

  /** Asks for a flush that covers `offset`, as soon as it is written. */
  requestFlush(offset: number): void {
    this.#writer.groupCommit.request(offset)
    this.#writer.groupCommit.pump()
  }

  /** Resolves when everything written so far is on the device: log, queues, index and checkpoint. */
  flush(): Promise<void> {
    return this.#maintenance.syncEverything()
  }

  get state(): StoreState {
    return this.#core.lifecycle.state
  }

  /** Why appends are refused, or undefined. */
  whyNotWritable(): string | undefined {
    return this.#core.lifecycle.whyNotWritable
  }

  /** Used space of the fullest partition in percent, −1 when unknown. */
  get diskUsedPercent(): number {
    return this.#retention.usedPercent
  }

  /** The smallest physical offset kept. */
  get minPhysicalOffset(): number {
    return this.#core.commitLog.minOffset
  }

  queue(topic: string, queueId: number): AnyQueue | undefined {
    return this.#core.queues.get(topic, queueId) ?? this.#core.batchQueues.get(topic, queueId)
  }

  *queues(): IterableIterator<AnyQueue> {
    yield* this.#core.queues.all()
    yield* this.#core.batchQueues.all()
  }

  /** Topics with at least one queue. */
  topics(): Set<string> {
    return new Set([...this.#core.queues.topics(), ...this.#core.batchQueues.topics()])
  }

  /** Offset behind the last visible message; 0 for an unknown queue. */
  maxOffset(topic: string, queueId: number): number {
    return this.queue(topic, queueId)?.maxOffset ?? 0
  }

  minOffset(topic: string, queueId: number): number {
    return this.queue(topic, queueId)?.minOffset ?? 0
  }

  /** A promise only when messages must be read from files. */
  getMessages(request: GetRequest): GetResult | Promise<GetResult> {
    if (!this.#core.lifecycle.isReadable) {
      throw new RocketMqError('INVALID_STATE', `the store is ${this.#core.lifecycle.state}`)
    }
    return this.#getter.get(request)
  }

  /** Whether any message from `fromOffset` to below `toOffset`, just arrived, passes the filter. One no longer in memory does. */
  hasMatch(queue: AnyQueue, fromOffset: number, toOffset: number, filter: TagFilter): boolean {
    if (!('recentStart' in queue)) return true
    if (fromOffset < queue.recentStart) return true
    for (let offset = fromOffset; offset < toOffset; offset++) {
      const index = offset - queue.recentStart
      if (!matchesEntry(queue, filter, queue.recent, index)) continue
      if (!wantsRecord(filter) || this.#recordMatches(queue, index, filter)) return true
    }
    return false
  }

  #recordMatches(queue: ConsumeQueue, index: number, filter: TagFilter): boolean {
    const physicalOffset = entryPhysicalOffset(queue.recent, index)
    const size = entrySize(queue.recent, index)
    if (!this.#logReader.isHot(physicalOffset, size)) return true
    const record = this.#logReader.read(physicalOffset, size)
    return !(record instanceof Buffer) || matchesRecord(filter, record)
  }

  /** The whole record at `physicalOffset`; undefined when there is none. */
  messageAt(physicalOffset: number): Buffer | undefined | Promise<Buffer | undefined> {
    if (!Number.isSafeInteger(physicalOffset) || physicalOffset < 0) return undefined
    const size = this.#logReader.readSync(physicalOffset, 4)
    const length = size === undefined ? 0 : readInt32(size, 0)
    return length > 0 ? this.#logReader.read(physicalOffset, length) : undefined
  }

  /**
   * The records of entries, by the `offsets` and `sizes` that the entries say; undefined where the log doesn't have one. A promise only
   * when some must be read from files.
   */
  recordsAt(
    offsets: readonly number[],
    sizes: readonly number[],
  ): (Buffer | undefined)[] | Promise<(Buffer | undefined)[]> {
    return this.#logReader.readMany(offsets, sizes)
  }

  /** Store time of a message; −1 when it isn't there. */
  storeTimeOf(topic: string, queueId: number, offset: number): number {
    const queue = this.queue(topic, queueId)
    return queue === undefined ? -1 : this.#storeTimeIn(queue, offset)
  }

  #storeTimeIn(queue: AnyQueue, offset: number): number {
    if ('recentStart' in queue) {
      const physicalOffset = physicalOffsetOf(queue, offset)
      return physicalOffset < 0 ? -1 : storeTimeAt(this.#logReader, physicalOffset)
    }
    return queue.entryAt(queue.entryIndexOf(offset))?.storeTimestamp ?? -1
  }

  /** Store time of the oldest message kept; −1 in an empty store. */
  get earliestStoreTime(): number {
    return storeTimeAt(this.#logReader, this.#core.commitLog.minOffset)
  }

  /** A queue offset by store time; see {@link searchByTime}. 0 for an unknown queue. */
  offsetByTime(topic: string, queueId: number, timestamp: number, boundary: TimeBoundary): number {
    const queue = this.queue(topic, queueId)
    if (queue === undefined) return 0
    if ('offsetByTime' in queue) return queue.offsetByTime(timestamp)
    return searchByTime(queue.minOffset, queue.maxOffset, timestamp, boundary, offset =>
      this.#storeTimeIn(queue, offset),
    )
  }

  /** Whether a message lies in the hot part of the log, which Java takes to be in memory. */
  isInMemory(topic: string, queueId: number, offset: number): boolean {
    const queue = this.#core.queues.get(topic, queueId)
    const physicalOffset = queue === undefined ? -1 : physicalOffsetOf(queue, offset)
    if (physicalOffset < 0) return false
    const hotBytes = (this.#core.tuning.totalMemoryBytes * this.#core.options.accessMessageInMemoryMaxPercent) / 100
    return this.#core.watermarks.written - physicalOffset <= hotBytes
  }

  /**
   * Messages by key or unique key, stored from `begin` to `end`. Keys with the same hash are among them; whoever asked compares.
   * Source: DefaultMessageStore#queryMessage, 5.3.x.
   */
  async queryIndex(
    topic: string,
    key: string,
    maxCount: number,
    begin: number,
    end: number,
    _unique: boolean,
  ): Promise<IndexQueryResult> {
    const { index, options } = this.#core
    const limit = Math.min(maxCount, options.queryMessageMaxCount)
    const empty = { physicalOffsets: [], lastUpdateTimestamp: 0, lastUpdatePhysicalOffset: 0 }
    const found =
      index === undefined || limit <= 0
        ? empty
        : await index.query({ topicHash: javaHashCode(`${topic}#`), key, begin, end, maxCount: limit })
    const records: Buffer[] = []
    for (const physicalOffset of found.physicalOffsets) {
      if (physicalOffset >= this.#core.watermarks.confirmed) continue
      const record = await this.messageAt(physicalOffset)
      if (record !== undefined) records.push(record)
    }
    const { lastUpdateTimestamp, lastUpdatePhysicalOffset } = found
    return { records, lastUpdateTimestamp, lastUpdatePhysicalOffset }
  }

  /** Removes a topic's queues at once; its messages stay in the log until their files go. */
  deleteTopic(topic: string): void {
    this.#removal.deleteTopic(topic)
  }

  /** Removes the queues of topics that aren't `known`, except system topics and light queues. Returns the topics removed. */
  cleanUnusedTopics(known: ReadonlySet<string>): string[] {
    return this.#removal.cleanUnusedTopics(known)
  }

  /** Removes queues whose messages are all gone from the log; their numbers begin at 0 again. Returns how many. */
  cleanExpiredConsumeQueues(): number {
    return this.#removal.cleanExpired()
  }

  /** Deletes expired files now; with `manual` at any hour, also in the rounds that follow. */
  async deleteExpired(manual: boolean): Promise<void> {
    if (manual) this.#retention.requestManual()
    await this.#retention.cleanUp()
  }

  /**
   * Stops: nothing is appended any more, everything goes to the device, and the directory is given free. Resolves in any case; after a
   * failure the next start recovers as after a crash.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { checkpoint, directory, disk, index, lifecycle, logger, openFiles } = this.#core
    const wasRunning = lifecycle.state === 'running'
    this.#writer.endTurn()
    this.#writer.tellArrivals()
    this.#retention.stop()
    const isIntact = wasRunning && lifecycle.state === 'running'
    let isFinished = false
    if (isIntact) isFinished = await this.#maintenance.finish()
    lifecycle.move('close', 'closed by its owner')
    this.#maintenance.stop()
    for (const leave of this.#leaveTurn) leave()
    try {
      if (isFinished) {
        disk.removeFile(`${directory}/abort`)
        disk.syncDirectory(directory)
      }
    } catch (error) {
      logger.warn({ error: String(error) }, 'the abort file could not be removed')
    }
    index?.close()
    checkpoint.close()
    openFiles.closeAll()
    this.#lock.release()
    lifecycle.move('closed', 'closed by its owner')
  }
}
