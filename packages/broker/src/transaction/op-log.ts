import { type Host, systemTopics, tagsCodeOf } from '@rocketmq-ts/model'
import type { Clock, RateLimitedLog, Timer } from '@rocketmq-ts/runtime'
import type { AppendRecord, MessageStore } from '@rocketmq-ts/store'
import type { BrokerStats } from '../stats/broker-stats.ts'

/** Marks a half message as done. */
export const REMOVE_TAG = 'd'
const SEPARATOR = ','
const opProperties = Buffer.from(`WAIT\u0001true\u0002TAGS\u0001${REMOVE_TAG}\u0002`)
const opTopicBytes = Buffer.from(systemTopics.transactionOpHalf)

/** Read live. */
export interface OpLogOptions {
  readonly transactionOpMsgMaxSize: number
  readonly transactionOpBatchInterval: number
}

export interface OpLogDeps {
  readonly store: Pick<MessageStore, 'append'>
  readonly stats: Pick<BrokerStats, 'addPut' | 'addBrokerPut'>
  readonly clock: Clock
  readonly log: RateLimitedLog
  readonly storeHost: Host
  readonly options: OpLogOptions
}

/** An op message: where it is, and the last half message that it tells of. */
interface OpMessage {
  readonly queueOffset: number
  readonly highestHalf: number
}

interface UnwrittenOp extends OpMessage {
  readonly endOffset: number
  readonly halves: readonly number[]
}

/**
 * Writes the op messages, which say what half messages are done: `0,1,3,5,`, collected until they fill
 * `transactionOpMsgMaxSize` bytes or `transactionOpBatchInterval` ms have passed since the first. Until then a kill forgets
 * them, and the halves are asked about once more.
 *
 * Bounded: 20 bytes or so a half while the store takes messages; nothing is decided while it doesn't.
 * Source: TransactionalMessageServiceImpl#deletePrepareMessage, #batchSendOpMessage, 5.3.x
 */
export class OpLog {
  readonly #deps: OpLogDeps
  readonly #record: AppendRecord
  readonly #onTime = () => void this.writeNow()
  readonly #onFull = () => this.#writeFull()
  #waiting: number[] = []
  #waitingBytes = 0
  #timer: Timer | undefined
  #isDue = false
  #isReady = false
  readonly #unwritten: UnwrittenOp[] = []
  /** In the order of their offsets. */
  readonly #messages: OpMessage[] = []
  /** The first op message that a start would have to read. */
  position = 0

  constructor(deps: OpLogDeps) {
    this.#deps = deps
    this.#record = {
      topic: systemTopics.transactionOpHalf,
      topicBytes: opTopicBytes,
      queueId: 0,
      flag: 0,
      sysFlag: 0,
      bornTimestamp: 0,
      bornHost: deps.storeHost,
      storeHost: deps.storeHost,
      reconsumeTimes: 0,
      preparedTransactionOffset: 0,
      body: opProperties,
      properties: opProperties,
      tagsCode: tagsCodeOf(REMOVE_TAG),
      keys: undefined,
      uniqueKey: undefined,
    }
  }

  /** Halves that no op message tells of yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  get hasUnwritten(): boolean {
    return this.#unwritten.length > 0
  }

  /** The half at `offset` is done. */
  add(offset: number): void {
    const { clock, options } = this.#deps
    this.#waiting.push(offset)
    this.#waitingBytes += String(offset).length + 1
    if (!this.#isReady) return
    if (this.#waitingBytes >= options.transactionOpMsgMaxSize) this.#writeSoon()
    else this.#timer ??= clock.setTimeout(this.#onTime, options.transactionOpBatchInterval, { unref: true })
  }

  /** Takes over an op message that is stored. */
  noteStored(queueOffset: number, highestHalf: number): void {
    this.#messages.push({ queueOffset, highestHalf })
  }

  /** Begins to write; what is stored already is known by now. */
  start(): void {
    this.#isReady = true
    if (this.#waiting.length > 0) this.writeNow()
  }

  /** Writes what waits. Returns the end of it in the log; 0 when nothing was written. */
  writeNow(): number {
    return this.#write(1)
  }

  /** Ends the timer; what waits is written by {@link OpLog.writeNow} only. */
  stop(): void {
    this.#isReady = false
    this.#timer?.cancel()
    this.#timer = undefined
  }

  onWritten(writtenOffset: number): void {
    const count = this.#unwritten.findIndex(({ endOffset }) => endOffset > writtenOffset)
    for (const op of this.#unwritten.splice(0, count < 0 ? this.#unwritten.length : count)) {
      this.noteStored(op.queueOffset, op.highestHalf)
    }
  }

  /** What was appended from `fromOffset` on is lost, and written again. */
  onFailure(fromOffset: number): void {
    const first = this.#unwritten.findIndex(({ endOffset }) => endOffset > fromOffset)
    if (first < 0) return
    for (const { halves } of this.#unwritten.splice(first)) for (const half of halves) this.add(half)
  }

  /** Moves the position behind the op messages that tell only of halves below `halfOffset`. */
  pass(halfOffset: number): void {
    let count = 0
    while (count < this.#messages.length && this.#messages[count]!.highestHalf < halfOffset) count++
    if (count === 0) return
    this.position = this.#messages[count - 1]!.queueOffset + 1
    this.#messages.splice(0, count)
  }

  #writeSoon(): void {
    if (this.#isDue) return
    this.#isDue = true
    // Not at once: whoever adds may be in the middle of a write.
    this.#deps.clock.setImmediate(this.#onFull)
  }

  #writeFull(): void {
    this.#isDue = false
    if (this.#isReady) this.#write(this.#deps.options.transactionOpMsgMaxSize)
  }

  /** Writes until less than `leastBytes` wait. */
  #write(leastBytes: number): number {
    let endOffset = 0
    while (this.#waitingBytes >= leastBytes && this.#waiting.length > 0) {
      const end = this.#writeOne()
      if (end === 0) break
      endOffset = end
    }
    this.#timer?.cancel()
    this.#timer = undefined
    const { clock, options } = this.#deps
    if (this.#waiting.length > 0 && this.#isReady) {
      this.#timer = clock.setTimeout(this.#onTime, options.transactionOpBatchInterval, { unref: true })
    }
    return endOffset
  }

  #writeOne(): number {
    const { store, stats, clock, log, options } = this.#deps
    let text = ''
    let count = 0
    while (count < this.#waiting.length && text.length < options.transactionOpMsgMaxSize) {
      text += this.#waiting[count++] + SEPARATOR
    }
    this.#record.body = Buffer.from(text)
    this.#record.bornTimestamp = clock.now()
    const result = store.append(this.#record)
    if (result.status !== 'PUT_OK') {
      log.error('op', { status: result.status, waiting: this.#waiting.length }, 'an op message is not stored yet')
      return 0
    }
    const { endOffset, physicalOffset, queueOffset } = result
    const halves = this.#waiting.slice(0, count)
    this.#waiting = this.#waiting.slice(count)
    this.#waitingBytes -= text.length
    let highestHalf = 0
    for (const half of halves) if (half > highestHalf) highestHalf = half
    this.#unwritten.push({ endOffset, queueOffset, halves, highestHalf })
    stats.addPut(systemTopics.transactionOpHalf, 1, endOffset - physicalOffset, 0)
    stats.addBrokerPut(systemTopics.transactionOpHalf, 1)
    return endOffset
  }
}

/** The halves that an op message's body tells of: `0,1,3,`, or one number without a comma from a broker before 5.0. */
export function parseOpBody(body: Buffer): number[] {
  const halves: number[] = []
  for (const part of body.toString('latin1').split(SEPARATOR)) {
    if (!/^\d{1,16}$/.test(part)) continue
    const offset = Number(part)
    if (Number.isSafeInteger(offset)) halves.push(offset)
  }
  return halves
}
