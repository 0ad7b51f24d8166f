import { type Clock, type Disk, realDisk, silentLogger, systemClock, TurnScheduler } from '@rocketmq-ts/runtime'
import {
  type AppendRecord,
  createStoreOptions,
  type GetResult,
  MessageStore,
  type StoreOptions,
  type StoreTuning,
} from '@rocketmq-ts/store'

export interface OpenOptions {
  readonly disk?: Disk
  readonly clock?: Clock
  readonly options?: Partial<StoreOptions>
  readonly batchTopics?: readonly string[]
  readonly tuning?: Partial<StoreTuning>
  readonly turn?: TurnScheduler
}

/** Small files, so that a test crosses their borders. */
export const smallFiles: Partial<StoreOptions> = {
  commitLogFileSizeBytes: 64 * 1024,
  consumeQueueFileSizeBytes: 2000,
  consumeQueueExtFileSizeBytes: 4096,
  indexHashSlotCount: 100,
  indexEntryCount: 400,
}

/** Opens a store for a test. */
export function openStore(directory: string, open: OpenOptions = {}): Promise<MessageStore> {
  const clock = open.clock ?? systemClock
  return MessageStore.open({
    disk: open.disk ?? realDisk,
    clock,
    turn: open.turn ?? new TurnScheduler(clock),
    logger: silentLogger,
    directory,
    options: createStoreOptions({ ...smallFiles, ...open.options }),
    isBatchTopic: topic => open.batchTopics?.includes(topic) ?? false,
    tuning: { tailChunkBytes: 16 * 1024, tailRetainedBytes: 64 * 1024, ...open.tuning },
  })
}

const host = { address: Buffer.from([127, 0, 0, 1]), port: 10911 }

/** A message for `append`. */
export function recordOf(fields: Partial<AppendRecord> = {}): AppendRecord {
  const topic = fields.topic ?? 'T'
  return {
    topicBytes: Buffer.from(topic, 'utf8'),
    queueId: 0,
    flag: 0,
    sysFlag: 0,
    bornTimestamp: 1_700_000_000_000,
    bornHost: host,
    storeHost: host,
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.from('body'),
    properties: '',
    tagsCode: 0,
    keys: undefined,
    uniqueKey: undefined,
    ...fields,
    topic,
  }
}

/** All messages of a queue from `offset` on, read as a consumer does. */
export async function readQueue(
  store: MessageStore,
  topic: string,
  queueId: number,
  offset: number,
): Promise<Buffer[]> {
  const records: Buffer[] = []
  for (let next = offset; ; ) {
    const result: GetResult = await store.getMessages({ topic, queueId, offset: next, maxCount: 32 })
    if (result.messageCount > 0) records.push(...splitRecords(Buffer.concat(result.parts)))
    if (result.nextBeginOffset <= next || result.status === 'OFFSET_OVERFLOW_ONE') return records
    next = result.nextBeginOffset
  }
}

/** The records of an answer. */
export function splitRecords(bytes: Buffer): Buffer[] {
  const records: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readInt32BE(at)
    records.push(bytes.subarray(at, at + size))
    at += size
  }
  return records
}
