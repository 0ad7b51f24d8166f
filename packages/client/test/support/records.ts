import { PulledBatch, type PulledFrom } from '@rocketmq-ts/client/internal'
import { encodeProperties, encodeStoredMessage, magicV1, type StoredMessage } from '@rocketmq-ts/model'

/** What a test says of a stored message; the rest has plain values. */
export interface RecordOptions {
  topic?: string
  queueId?: number
  queueOffset?: number
  physicalOffset?: number
  body?: Buffer | string
  tags?: string
  keys?: string
  uniqueKey?: string
  properties?: Record<string, string>
  sysFlag?: number
  reconsumeTimes?: number
}

const host = { address: Buffer.from([127, 0, 0, 1]), port: 10911 }

/** The stored form that {@link record} encodes. */
export function storedMessage(options: RecordOptions = {}): StoredMessage {
  const { tags, keys, uniqueKey } = options
  const named = {
    ...(tags === undefined ? {} : { TAGS: tags }),
    ...(keys === undefined ? {} : { KEYS: keys }),
    ...(uniqueKey === undefined ? {} : { UNIQ_KEY: uniqueKey }),
    ...options.properties,
  }
  return {
    totalSize: 0,
    magic: magicV1,
    bodyCrc: 0,
    queueId: options.queueId ?? 0,
    flag: 0,
    queueOffset: options.queueOffset ?? 0,
    physicalOffset: options.physicalOffset ?? 0,
    sysFlag: options.sysFlag ?? 0,
    bornTimestamp: 1_700_000_000_000,
    bornHost: host,
    storeTimestamp: 1_700_000_000_001,
    storeHost: host,
    reconsumeTimes: options.reconsumeTimes ?? 0,
    preparedTransactionOffset: 0,
    body: Buffer.from(options.body ?? 'body'),
    topic: options.topic ?? 'orders',
    propertiesText: encodeProperties(named),
  }
}

/** One record as a pull brings it. */
export function record(options: RecordOptions = {}): Buffer {
  return encodeStoredMessage(storedMessage(options))
}

/** Where the pulls of tests come from. */
export function pulledFrom(topic = 'orders'): PulledFrom {
  const queue = { topic, brokerName: 'broker-a', queueId: 0 }
  return { queue, topic, namespace: '', minOffset: 0, maxOffset: 0, offsetDelta: 0 }
}

/** One pull with messages at the given queue offsets. */
export function batchAt(offsets: readonly number[], topic = 'orders'): PulledBatch {
  const records = offsets.map(queueOffset => record({ topic, queueOffset, physicalOffset: queueOffset * 100 }))
  return PulledBatch.decode(pulledFrom(topic), Buffer.concat(records))
}
