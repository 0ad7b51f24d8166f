import { decodeStoredMessage, findProperty, propertyNames, type StoredMessage, systemTopics } from '@rocketmq-ts/model'
import { readInt32 } from '@rocketmq-ts/model/internal'
import type { Clock, RateLimitedLog } from '@rocketmq-ts/runtime'
import type { AppendResult, MessageStore } from '@rocketmq-ts/store'
import type { ProducerGroups } from '../client/producer-groups.ts'
import type { DeliveredRecord } from '../schedule/delivered-record.ts'
import type { BrokerStats } from '../stats/broker-stats.ts'
import type { TopicTable } from '../topic/topic-table.ts'
import type { HalfDecisions } from './half-decisions.ts'
import { asDiscarded, asHalf, checkCommand, checkTimes, immunityMs, numberProperty, withSet } from './half-records.ts'

/** Half messages that are looked at in one turn of the event loop. */
const TURN_HALVES = 32
/** A round that takes longer goes on in the next one. */
const ROUND_MAX_MS = 60_000
const halfTopic = systemTopics.transactionHalf

/** Read live. */
export interface CheckOptions {
  readonly brokerName: string
  readonly transactionTimeoutMs: number
  readonly transactionCheckMax: number
  readonly fileReservedTimeHours: number
}

export interface HalfCheckerDeps {
  readonly store: Pick<MessageStore, 'append' | 'getMessages' | 'maxOffset' | 'minOffset'>
  readonly topics: Pick<TopicTable, 'ensureBackTopic'>
  readonly producers: Pick<ProducerGroups, 'pick'>
  readonly stats: Pick<BrokerStats, 'addPut' | 'addBrokerPut'>
  readonly decisions: HalfDecisions
  readonly record: DeliveredRecord
  readonly clock: Clock
  readonly log: RateLimitedLog
  readonly options: CheckOptions
  /** Something was appended that ends there. */
  readonly onAppended: (endOffset: number) => void
}

/**
 * Walks the half queue and asks producers about the transactions that haven't ended. What it passes is done, put back as a
 * copy at the queue's end, or given up, so that nothing is left behind the cursor. A turn of the event loop looks at
 * {@link TURN_HALVES} of them.
 * Source: TransactionalMessageServiceImpl#check, 5.3.x
 */
export class HalfChecker {
  readonly #deps: HalfCheckerDeps
  /** Counted up when the cursor was set back; a read under way is then of no use. */
  #generation = 0
  #isStopped = false
  #cursor = 0

  constructor(deps: HalfCheckerDeps) {
    this.#deps = deps
  }

  /** The first half message that may not have ended. */
  get cursor(): number {
    return this.#cursor
  }

  /** Begins at `offset` again. */
  goTo(offset: number): void {
    this.#generation++
    this.#cursor = offset
  }

  /** Ends the round under way. */
  stop(): void {
    this.#isStopped = true
  }

  /** One round: to the end of the queue, or the first half that is too young. Rejects when the store can't be read. */
  async run(): Promise<void> {
    const { store, clock } = this.#deps
    const startMs = clock.now()
    const deadline = clock.monotonic() + ROUND_MAX_MS
    const generation = this.#generation
    while (!this.#isStopped && clock.monotonic() < deadline) {
      const maxCount = this.#nextUndecided()
      if (maxCount === 0) return
      const result = await store.getMessages({ topic: halfTopic, queueId: 0, offset: this.#cursor, maxCount })
      if (this.#isStopped || this.#generation !== generation) return
      if (result.parts.length > 0) {
        if (!this.#examineAll(Buffer.concat(result.parts), startMs)) return
      } else if (result.nextBeginOffset <= this.#cursor) {
        return
      }
      // Behind what was read there may be a hole.
      this.#cursor = Math.max(this.#cursor, result.nextBeginOffset)
      await new Promise<void>(resolve => clock.setImmediate(resolve))
      if (this.#generation !== generation) return
    }
  }

  /** Moves the cursor to the next half that isn't decided; how many to read up to the last such within {@link TURN_HALVES}. */
  #nextUndecided(): number {
    const { store, decisions } = this.#deps
    const end = store.maxOffset(halfTopic, 0)
    this.#cursor = Math.max(this.#cursor, store.minOffset(halfTopic, 0))
    while (this.#cursor < end && decisions.isDecided(this.#cursor)) this.#cursor++
    let count = Math.min(TURN_HALVES, end - this.#cursor)
    while (count > 0 && decisions.isDecided(this.#cursor + count - 1)) count--
    return count
  }

  #examineAll(records: Buffer, startMs: number): boolean {
    for (let at = 0; at < records.length; ) {
      const stored = records.subarray(at, at + readInt32(records, at))
      at += stored.length
      const half = decodeStoredMessage(stored)
      if (half.queueOffset < this.#cursor) continue
      if (!this.#examine(half, stored, startMs)) {
        this.#cursor = half.queueOffset
        return false
      }
      this.#cursor = half.queueOffset + 1
    }
    return true
  }

  /** Deals with one half message; false when the round ends before it. */
  #examine(half: StoredMessage, stored: Buffer, startMs: number): boolean {
    const { decisions, record, clock, options } = this.#deps
    const offset = half.queueOffset
    if (decisions.isDecided(offset)) return true
    const problem = record.take(stored)
    if (problem !== undefined) return this.#pass(half, problem)
    const text = record.propertiesText
    const original = numberProperty(text, propertyNames.transactionPreparedQueueOffset)
    if (decisions.isSuperseded(offset, original)) return true
    if (original !== undefined) {
      if (decisions.isDecided(original)) return true
      decisions.connect(offset, original)
    }
    const times = checkTimes(text)
    const ageMs = clock.now() - half.bornTimestamp
    if (times >= options.transactionCheckMax || ageMs > options.fileReservedTimeHours * 3_600_000) {
      return this.#discard(half)
    }
    if (half.storeTimestamp >= startMs) return false
    const immune = immunityMs(text, options.transactionTimeoutMs)
    if (immune !== undefined && ageMs < immune) {
      // Those behind it needn't wait so long.
      const properties = withSet(text, propertyNames.transactionPreparedQueueOffset, String(original ?? offset))
      return this.#putBack(half, properties)
    }
    // A producer whose clock is ahead gets its time, too.
    const waitedMs = ageMs < 0 ? clock.now() - half.storeTimestamp : ageMs
    if (immune === undefined && waitedMs < options.transactionTimeoutMs) return false
    return this.#ask(half, text, times)
  }

  /** Puts a copy to the queue's end and asks a producer about it. */
  #ask(half: StoredMessage, text: string, times: number): boolean {
    const { producers, record, options, log } = this.#deps
    const group = findProperty(text, propertyNames.producerGroup) ?? ''
    const connection = producers.pick(group)
    // One that doesn't read isn't asked, nor is that counted as asking.
    const isAsked = connection === undefined || connection.state === 'open'
    const properties = isAsked ? withSet(text, propertyNames.transactionCheckTimes, String(times + 1)) : text
    const result = this.#copy(half, properties)
    if (result === undefined) return false
    if (result.status !== 'PUT_OK') return this.#discard(half)
    if (connection === undefined) {
      log.warn(`nobody ${group}`, { group }, 'no producer of a group is online to be asked about transactions')
    } else if (isAsked) {
      connection.sendOneway(checkCommand(half, record.record, result, properties, options.brokerName))
    }
    return true
  }

  #putBack(half: StoredMessage, properties: string): boolean {
    const result = this.#copy(half, properties)
    if (result === undefined) return false
    return result.status === 'PUT_OK' || this.#discard(half)
  }

  /** Undefined when the store takes nothing at the moment. */
  #copy(half: StoredMessage, properties: string): AppendResult | undefined {
    const { record, decisions } = this.#deps
    asHalf(record.record, properties)
    const result = this.#append()
    if (result?.status === 'PUT_OK') decisions.move(half.queueOffset, result.queueOffset)
    return result
  }

  /** Nobody is asked about this one any more. */
  #discard(half: StoredMessage): boolean {
    const { topics, record, log } = this.#deps
    topics.ensureBackTopic(systemTopics.transactionCheckMaxTime, 1)
    asDiscarded(record.record)
    record.record.properties = record.propertiesText
    const result = this.#append()
    if (result === undefined) return false
    const { queueOffset, physicalOffset } = half
    const fields = { queueOffset, physicalOffset, uniqueKey: record.record.uniqueKey, status: result.status }
    log.error(
      'discard',
      fields,
      `a transaction has no end; its message goes to ${systemTopics.transactionCheckMaxTime}`,
    )
    return true
  }

  #append(): AppendResult | undefined {
    const { store, stats, record, onAppended } = this.#deps
    const result = store.append(record.record)
    const { status } = result
    if (status === 'MESSAGE_ILLEGAL' || status === 'PROPERTIES_SIZE_EXCEEDED' || status === 'UNKNOWN_ERROR')
      return result
    if (status !== 'PUT_OK') return undefined
    const { topic, queueId } = record.record
    stats.addPut(topic, 1, result.endOffset - result.physicalOffset, queueId)
    stats.addBrokerPut(topic, 1)
    onAppended(result.endOffset)
    return result
  }

  #pass(half: StoredMessage, problem: string): true {
    const { queueOffset, physicalOffset } = half
    this.#deps.log.error('damaged', { queueOffset, physicalOffset, problem }, 'a half message is not usable')
    return true
  }
}
