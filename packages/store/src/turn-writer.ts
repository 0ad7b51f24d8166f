import { RocketMqError } from '@rocketmq-ts/runtime'
import type { PutStatus } from './append-record.ts'
import type { Appender } from './commit-log/appender.ts'
import { GroupCommit } from './commit-log/group-commit.ts'
import type { BatchConsumeQueue } from './consume-queue/batch-consume-queue.ts'
import type { ConsumeQueue } from './consume-queue/consume-queue.ts'
import type { StoreCore } from './store-core.ts'

/** A queue as listeners see it. */
export type AnyQueue = ConsumeQueue | BatchConsumeQueue

export type WrittenListener = (writtenOffset: number) => void
export type FlushedListener = (flushedOffset: number) => void
/** Records from `fromOffset` on were appended and are lost again; so are their queue offsets. */
export type FailureListener = (fromOffset: number, status: PutStatus) => void
/** Messages `fromOffset` to below `toOffset` of `queue` have become visible. */
export type ArrivalListener = (queue: ConsumeQueue, fromOffset: number, toOffset: number) => void

/** Messages of one turn that wait for the device before they become visible. */
interface Unconfirmed {
  readonly endOffset: number
  readonly queues: readonly AnyQueue[]
  readonly maxOffsets: readonly number[]
}

/**
 * The end of a turn: one write takes everything appended to the kernel, then the messages become visible (at once, or with SYNC_FLUSH
 * when they are on the device), then whoever waits is told.
 */
export class TurnWriter {
  readonly #core: StoreCore
  readonly #appender: Appender
  readonly groupCommit: GroupCommit
  readonly #written: WrittenListener[] = []
  readonly #flushed: FlushedListener[] = []
  readonly #failed: FailureListener[] = []
  readonly #arrived: ArrivalListener[] = []
  #unconfirmed: Unconfirmed[] = []
  #arrivals: AnyQueue[] = []
  #arrivalsFrom: number[] = []
  #isTurnOpen = false
  /** Store time of the newest written record. */
  #writtenTimestamp = 0

  constructor(core: StoreCore, appender: Appender) {
    this.#core = core
    this.#appender = appender
    this.groupCommit = new GroupCommit(core.commitLog, core.watermarks, {
      newestTimestamp: () => this.#writtenTimestamp,
      onFlushed: timestamp => this.#onFlushed(timestamp),
      onSyncFailure: error => this.#onSyncFailure(error),
    })
  }

  onWritten(listener: WrittenListener): void {
    this.#written.push(listener)
  }

  onFlushed(listener: FlushedListener): void {
    this.#flushed.push(listener)
  }

  onFailure(listener: FailureListener): void {
    this.#failed.push(listener)
  }

  onArrival(listener: ArrivalListener): void {
    this.#arrived.push(listener)
  }

  /** The first append of a turn has happened. */
  openTurn(): void {
    this.#isTurnOpen = true
    this.#core.turn.schedule()
  }

  /** Writes what was appended, and makes it visible or asks for a flush. Called at the end of the turn, or earlier when it is much. */
  writeNow(): void {
    const { commitLog, watermarks } = this.#core
    if (watermarks.appended > watermarks.written) {
      try {
        commitLog.writeTail()
      } catch (error) {
        this.#rollBack(error)
        return
      }
      watermarks.written = commitLog.tail.writtenOffset
      this.#settle()
      watermarks.check()
    }
  }

  /** Phase `write`. */
  endTurn(): void {
    if (!this.#isTurnOpen) return
    this.writeNow()
    this.#isTurnOpen = false
    this.#appender.endTurn()
    for (const listener of this.#written) listener(this.#core.watermarks.written)
  }

  /** Phase `wake`. */
  tellArrivals(): void {
    if (this.#arrivals.length === 0) return
    const queues = this.#arrivals
    const from = this.#arrivalsFrom
    this.#arrivals = []
    this.#arrivalsFrom = []
    for (let i = 0; i < queues.length; i++) {
      const queue = queues[i]! as ConsumeQueue
      for (const listener of this.#arrived) listener(queue, from[i]!, queue.visibleOffset)
    }
  }

  get isSyncFlush(): boolean {
    return this.#core.options.flushDiskType === 'SYNC_FLUSH'
  }

  /** The store's state after a failed write of any file but the log, whose records need no taking back. */
  reportWriteFailure(what: string, error: unknown): void {
    if (RocketMqError.is(error) && error.code === 'DISK_FULL') {
      this.#core.lifecycle.move('disk-full', `${what}: ${error.message}`)
    } else {
      this.#fence(what, error)
    }
  }

  #settle(): void {
    const { batchQueues, index, watermarks } = this.#core
    const touched: AnyQueue[] = this.#appender.touchedBatch
      ? [...this.#appender.touched, ...[...batchQueues.all()].filter(queue => queue.nextOffset > queue.visibleOffset)]
      : this.#appender.touched
    for (const queue of touched) this.#settleQueue(queue)
    index?.settle()
    this.#writtenTimestamp = this.#appender.lastStoreTimestamp
    if (!this.isSyncFlush || this.#core.options.readUnCommitted) {
      for (const queue of touched) this.#show(queue, queue.nextOffset)
      watermarks.confirmed = watermarks.written
      watermarks.dispatched = watermarks.written
    } else {
      this.#unconfirmed.push({
        endOffset: watermarks.written,
        queues: [...touched],
        maxOffsets: touched.map(queue => queue.nextOffset),
      })
    }
    if (this.isSyncFlush) {
      this.groupCommit.request(watermarks.written)
      this.groupCommit.pump()
    }
  }

  #settleQueue(queue: AnyQueue): void {
    try {
      queue.settle()
    } catch (error) {
      this.reportWriteFailure('a batch consume queue could not be written', error)
    }
    if ('ext' in queue) queue.ext?.settle()
  }

  #show(queue: AnyQueue, maxOffset: number): void {
    if (maxOffset <= queue.visibleOffset) return
    this.#arrivals.push(queue)
    this.#arrivalsFrom.push(queue.visibleOffset)
    queue.visibleOffset = maxOffset
  }

  #onFlushed(timestamp: number): void {
    const { checkpoint, turn, watermarks } = this.#core
    const { flushed } = watermarks
    if (timestamp > 0) checkpoint.physicMsgTimestamp = timestamp
    let count = 0
    for (; count < this.#unconfirmed.length && this.#unconfirmed[count]!.endOffset <= flushed; count++) {
      const { queues, maxOffsets } = this.#unconfirmed[count]!
      for (let i = 0; i < queues.length; i++) this.#show(queues[i]!, maxOffsets[i]!)
    }
    if (count > 0) {
      this.#unconfirmed = this.#unconfirmed.slice(count)
      watermarks.confirmed = Math.max(watermarks.confirmed, flushed)
      watermarks.dispatched = watermarks.confirmed
    }
    for (const listener of this.#flushed) listener(flushed)
    turn.schedule()
  }

  /** Nothing of this turn is in the log: numbers, entries and offsets are taken back, and who waits is told. */
  #rollBack(error: unknown): void {
    const { batchQueues, commitLog, index, watermarks } = this.#core
    const fromOffset = watermarks.written
    commitLog.rollBack()
    watermarks.appended = watermarks.written
    for (const queue of this.#appender.touched) {
      queue.rollBack()
      queue.ext?.rollBack()
    }
    if (this.#appender.touchedBatch) for (const queue of batchQueues.all()) queue.rollBack()
    index?.rollBack()
    this.reportWriteFailure('the commit log could not be written', error)
    for (const listener of this.#failed) listener(fromOffset, 'SERVICE_NOT_AVAILABLE')
  }

  #fence(what: string, error: unknown): void {
    this.#core.logger.error({ error: String(error) }, what)
    this.#core.lifecycle.move('write-failed', `${what}: ${String(error)}`)
  }

  /** What waits for the device waits in vain; what was acknowledged as written stays so. */
  #onSyncFailure(error: unknown): void {
    this.#fence('a sync of the commit log failed', error)
    if (!this.isSyncFlush) return
    for (const listener of this.#failed) listener(this.#core.watermarks.flushed, 'SERVICE_NOT_AVAILABLE')
  }
}
