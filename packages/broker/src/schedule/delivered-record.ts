import {
  bornHostBytes,
  checkRecord,
  findProperty,
  type Host,
  type RecordShape,
  recordLayout,
  removeProperty,
  storeHostBytes,
  storeTimestampAt,
  systemTopics,
} from '@rocketmq-ts/model'
import { readInt32, readInt64, readText } from '@rocketmq-ts/model/internal'
import type { AppendRecord } from '@rocketmq-ts/store'
import { newScannedProperties, scanProperties } from '../send/properties-scan.ts'

/** Topics whose bytes are kept, before they are forgotten and made anew. */
const TOPICS_MAX = 4096
const CRC_PROPERTY = '__CRC32#'
const QUEUE_ID_MAX = 0x7fffffff
const queueIdText = /^\d{1,10}$/
const noBytes = Buffer.alloc(0)
const noHost: Host = { address: Buffer.alloc(4), port: 0 }

/**
 * Makes of a message in the schedule topic, or in that of half messages, the one that its consumers get: topic and queue from
 * REAL_TOPIC and REAL_QID, a new queue offset and store time, and everything else as it was: the property text (with DELAY,
 * REAL_TOPIC and REAL_QID), born data, the host that stored it, flags, attempts, and the body, compressed or not.
 *
 * Budget per message: one property text as a string to find three values in, one slice each of body and properties, two
 * hosts. Source: ScheduleMessageService#messageTimeUp, EndTransactionProcessor#endMessageTransaction, 5.3.x
 */
export class DeliveredRecord {
  readonly #topicBytes = new Map<string, Buffer>()
  readonly #scanned = newScannedProperties()
  /** Filled in by {@link DeliveredRecord.take}; borrows the bytes that it was given. */
  readonly record: AppendRecord = {
    topic: '',
    topicBytes: noBytes,
    queueId: 0,
    flag: 0,
    sysFlag: 0,
    bornTimestamp: 0,
    bornHost: noHost,
    storeHost: noHost,
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: noBytes,
    properties: '',
    tagsCode: 0,
    keys: undefined,
    uniqueKey: undefined,
  }

  /** The property text of what was taken. */
  propertiesText = ''

  /** Takes a stored record. Returns why it can't be delivered, or undefined. */
  take(stored: Buffer): string | undefined {
    // With its checksum: a damaged body must not get a new one that says it is right.
    const check = checkRecord(stored, 0, stored.length, { verifyBodyCrc: true, verifyPropertyCrc: false })
    if (check.kind !== 'record') return 'reason' in check ? check.reason : `it is ${check.kind}`
    const { shape } = check
    if (shape.totalSize !== stored.length) return `it has ${shape.totalSize} bytes, its entry says ${stored.length}`
    const text = readText(stored, shape.propertiesStart, shape.propertiesEnd)
    this.propertiesText = text
    const problem = this.#address(text)
    if (problem !== undefined) return problem
    this.#fill(stored, shape)
    const { record } = this
    scanProperties(text, this.#scanned)
    record.tagsCode = this.#scanned.tagsCode
    record.keys = this.#scanned.keys
    record.uniqueKey = this.#scanned.uniqueKey
    record.properties = text.includes(CRC_PROPERTY)
      ? removeProperty(text, CRC_PROPERTY)
      : stored.subarray(shape.propertiesStart, shape.propertiesEnd)
    return undefined
  }

  #address(text: string): string | undefined {
    const topic = findProperty(text, 'REAL_TOPIC')
    if (topic === undefined) return 'it has no REAL_TOPIC'
    // A half message that was delayed has lost its topic; one that waits for waiting would go round for ever.
    if (topic === systemTopics.transactionHalf || topic === systemTopics.schedule) return `its topic is ${topic}`
    const queueId = findProperty(text, 'REAL_QID')
    if (queueId === undefined || !queueIdText.test(queueId) || Number(queueId) > QUEUE_ID_MAX) {
      return 'it has no valid REAL_QID'
    }
    this.record.topic = topic
    this.record.topicBytes = this.#bytesOf(topic)
    this.record.queueId = Number(queueId)
    return undefined
  }

  #fill(stored: Buffer, shape: RecordShape): void {
    const { record } = this
    const flags = readInt32(stored, recordLayout.sysFlag)
    const storeHostAt = storeTimestampAt(flags) + 8
    record.flag = readInt32(stored, recordLayout.flag)
    record.sysFlag = flags
    record.bornTimestamp = readInt64(stored, recordLayout.bornTimestamp)
    record.bornHost = hostAt(stored, recordLayout.bornHost, bornHostBytes(flags))
    record.storeHost = hostAt(stored, storeHostAt, storeHostBytes(flags))
    record.reconsumeTimes = readInt32(stored, storeHostAt + storeHostBytes(flags))
    record.body = stored.subarray(shape.bodyStart, shape.bodyEnd)
  }

  #bytesOf(topic: string): Buffer {
    let bytes = this.#topicBytes.get(topic)
    if (bytes === undefined) {
      if (this.#topicBytes.size >= TOPICS_MAX) this.#topicBytes.clear()
      bytes = Buffer.from(topic)
      this.#topicBytes.set(topic, bytes)
    }
    return bytes
  }
}

function hostAt(stored: Buffer, at: number, bytes: number): Host {
  return { address: stored.subarray(at, at + bytes - 4), port: readInt32(stored, at + bytes - 4) }
}
