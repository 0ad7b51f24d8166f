import { decodeStoredMessages, findProperty, type Host, systemGroups, systemTopics } from '@rocketmq-ts/model'
import type { RemotingCommand } from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'
import { type Clock, type Logger, RateLimitedLog, type Timer } from '@rocketmq-ts/runtime'
import type { MessageStore } from '@rocketmq-ts/store'
import type { ProducerGroups } from '../client/producer-groups.ts'
import type { ConsumerOffsets } from '../offset/consumer-offsets.ts'
import { DeliveredRecord } from '../schedule/delivered-record.ts'
import type { BrokerStats } from '../stats/broker-stats.ts'
import type { TopicTable } from '../topic/topic-table.ts'
import { type CheckOptions, HalfChecker } from './half-checker.ts'
import { HalfDecisions } from './half-decisions.ts'
import { OpLog, type OpLogOptions, parseOpBody, REMOVE_TAG } from './op-log.ts'
import { PendingEnds } from './pending-ends.ts'

const halfTopic = systemTopics.transactionHalf
const opTopic = systemTopics.transactionOpHalf
const group = systemGroups.transaction

/** Read live. */
export interface TransactionOptions extends CheckOptions, OpLogOptions {
  readonly transactionCheckIntervalMs: number
  readonly brokerRole: string
}

export interface TransactionDeps {
  readonly store: MessageStore
  readonly topics: TopicTable
  readonly producers: Pick<ProducerGroups, 'pick'>
  readonly offsets: ConsumerOffsets
  readonly stats: BrokerStats
  readonly clock: Clock
  readonly logger: Logger
  readonly storeHost: Host
  readonly options: TransactionOptions
  /** Answers an end whose message is written; it isn't when that failed. */
  readonly answer: (command: RemotingCommand, connection: Connection, isWritten: boolean) => void
}

/**
 * What a broker knows of the transactions that haven't ended, and the rounds in which it asks about them.
 *
 * The positions in the half and op queues are offsets of the group CID_RMQ_SYS_TRANS. They move when the device has all that
 * they rely on: the copies of half messages that were put back, and the messages that were committed. So a kill or a power
 * loss at any point makes the broker ask again, and lose nothing. Source: TransactionalMessageCheckService, 5.3.x
 */
export class TransactionService {
  readonly decisions = new HalfDecisions()
  readonly ops: OpLog
  readonly ends = new PendingEnds()
  readonly #deps: TransactionDeps
  readonly #checker: HalfChecker
  readonly #log: RateLimitedLog
  readonly #onWrittenEnd: Parameters<PendingEnds['release']>[1]
  readonly #onLostEnd: Parameters<PendingEnds['drop']>[1]
  #state: 'new' | 'running' | 'stopped' = 'new'
  #timer: Timer | undefined
  #round: Promise<void> | undefined
  #appendedOffset = 0
  /** The half position to be saved when the device has the log up to `endOffset`. */
  #waiting: { readonly halfOffset: number; readonly endOffset: number } | undefined
  #savedHalfOffset = 0

  constructor(deps: TransactionDeps) {
    this.#deps = deps
    const { store, clock, logger } = deps
    this.#log = new RateLimitedLog(clock, logger)
    this.ops = new OpLog({ ...deps, log: this.#log })
    const onAppended = (endOffset: number) => this.noteAppended(endOffset)
    const record = new DeliveredRecord()
    this.#checker = new HalfChecker({ ...deps, decisions: this.decisions, record, log: this.#log, onAppended })
    this.#onWrittenEnd = (_half, target, command, connection) => {
      this.ops.add(target)
      if (command !== undefined) deps.answer(command, connection, true)
    }
    this.#onLostEnd = (half, target, command, connection) => {
      this.decisions.undo(half, target)
      if (command !== undefined) deps.answer(command, connection, false)
    }
    store.onWritten(offset => this.#onWritten(offset))
    store.onFlushed(() => this.#saveWaiting())
    store.onFailure(offset => this.#onFailure(offset))
  }

  /** False before the start and after the end. */
  get isRunning(): boolean {
    return this.#state === 'running'
  }

  /** Takes up where the last broker stopped. Resolves when the op messages are read; never rejects. */
  async start(): Promise<void> {
    const { store, offsets } = this.#deps
    const position = (topic: string) => {
      const min = store.minOffset(topic, 0)
      const saved = offsets.query(group, topic, 0)
      return saved < 0 ? min : Math.min(Math.max(saved, min), store.maxOffset(topic, 0))
    }
    this.#savedHalfOffset = position(halfTopic)
    this.#checker.goTo(this.#savedHalfOffset)
    this.ops.position = position(opTopic)
    this.#state = 'running'
    try {
      await this.#readOps()
    } catch (error) {
      // Those they tell of are asked about once more.
      this.#log.error('ops', { err: error }, 'op messages could not be read')
    }
    if (!this.isRunning) return
    this.ops.start()
    this.#schedule()
  }

  /** Ends the rounds, writes what is decided, and saves the positions. Resolves, never rejects, when all that is on the device. */
  async close(): Promise<void> {
    if (this.#state !== 'running') return
    this.#state = 'stopped'
    this.#timer?.cancel()
    this.ops.stop()
    this.#checker.stop()
    await this.#round
    this.ops.writeNow()
    try {
      await this.#deps.store.flush()
    } catch (error) {
      this.#log.error('close', { err: error }, 'the log could not be flushed; transactions may be asked about again')
      return
    }
    this.#save(this.#checker.cursor)
  }

  /** Something was appended whose loss must take back what relies on it. */
  noteAppended(endOffset: number): void {
    this.#appendedOffset = endOffset
  }

  #schedule(): void {
    const { clock, options } = this.#deps
    const onTime = () => {
      this.#round = this.#runRound().finally(() => {
        this.#round = undefined
        if (this.isRunning) this.#schedule()
      })
    }
    this.#timer = clock.setTimeout(onTime, options.transactionCheckIntervalMs, { unref: true })
  }

  async #runRound(): Promise<void> {
    const { options, store } = this.#deps
    if (options.brokerRole === 'SLAVE' || store.whyNotWritable() !== undefined) return
    try {
      await this.#checker.run()
    } catch (error) {
      this.#log.error('round', { err: error }, 'half messages could not be checked')
    }
    if (!this.isRunning) return
    // What is decided must be in the log before the half position is behind it.
    const opEnd = this.ops.writeNow()
    if (opEnd > 0) this.noteAppended(opEnd)
    if (this.ops.waiting > 0) return
    this.#waiting = { halfOffset: this.#checker.cursor, endOffset: this.#appendedOffset }
    store.requestFlush(this.#appendedOffset)
    this.#saveWaiting()
  }

  #saveWaiting(): void {
    const { watermarks } = this.#deps.store
    const waiting = this.#waiting
    if (waiting === undefined || watermarks.flushed < waiting.endOffset || this.ops.hasUnwritten) return
    this.#waiting = undefined
    this.#save(waiting.halfOffset)
  }

  #save(halfOffset: number): void {
    this.#savedHalfOffset = halfOffset
    this.ops.pass(halfOffset)
    this.decisions.forgetBelow(halfOffset)
    this.#keep(halfTopic, halfOffset)
    this.#keep(opTopic, this.ops.position)
  }

  /** A position that hasn't moved is not noted, as in Java: an idle broker has no offsets to save, and tools see no such group. */
  #keep(topic: string, position: number): void {
    const { offsets, store } = this.#deps
    const saved = offsets.query(group, topic, 0)
    if (position !== (saved < 0 ? store.minOffset(topic, 0) : saved)) offsets.commit(group, topic, 0, position)
  }

  async #readOps(): Promise<void> {
    const { store } = this.#deps
    const end = store.maxOffset(opTopic, 0)
    const halfEnd = store.maxOffset(halfTopic, 0)
    let offset = this.ops.position
    while (offset < end && this.isRunning) {
      const result = await store.getMessages({ topic: opTopic, queueId: 0, offset, maxCount: 32 })
      for (const op of decodeStoredMessages(Buffer.concat(result.parts))) {
        let highest = -1
        const halves = findProperty(op.propertiesText, 'TAGS') === REMOVE_TAG ? parseOpBody(op.body) : []
        for (const half of halves) {
          if (half >= halfEnd) continue
          this.decisions.note(half)
          highest = Math.max(highest, half)
        }
        this.ops.noteStored(op.queueOffset, highest)
      }
      if (result.nextBeginOffset <= offset) return
      offset = result.nextBeginOffset
    }
  }

  #onWritten(writtenOffset: number): void {
    if (this.ends.count > 0) this.ends.release(writtenOffset, this.#onWrittenEnd)
    this.ops.onWritten(writtenOffset)
    this.#saveWaiting()
  }

  /** The cursor may be behind copies that are lost. */
  #onFailure(fromOffset: number): void {
    this.ends.drop(fromOffset, this.#onLostEnd)
    this.ops.onFailure(fromOffset)
    if (this.#appendedOffset <= fromOffset) return
    this.#appendedOffset = fromOffset
    this.#waiting = undefined
    this.decisions.forgetMoves()
    this.#checker.goTo(this.#savedHalfOffset)
  }
}
