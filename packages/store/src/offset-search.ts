import { recordLayout, storeTimestampAt } from '@rocketmq-ts/model'
import { readInt32, readInt64 } from '@rocketmq-ts/model/internal'
import type { LogReader } from './commit-log/log-reader.ts'
import type { ConsumeQueue } from './consume-queue/consume-queue.ts'
import { ENTRY_BYTES, entryPhysicalOffset } from './consume-queue/entries.ts'
import { readEntryInts } from './consume-queue/queue-recovery.ts'

export type TimeBoundary = 'lower' | 'upper'

/** A record's bytes up to its store time, for either length of the born host. */
const HEAD_BYTES = storeTimestampAt(0xff) + 8

/** Store time of the record at `physicalOffset`; −1 when it isn't in the log. Blocks for one small read at most. */
export function storeTimeAt(reader: LogReader, physicalOffset: number): number {
  const head = reader.readSync(physicalOffset, HEAD_BYTES)
  if (head === undefined || readInt32(head, 0) <= 0) return -1
  return readInt64(head, storeTimestampAt(readInt32(head, recordLayout.sysFlag)))
}

/** Physical offset of message `offset` of a queue, from memory or with one small read; −1 when there is none. */
export function physicalOffsetOf(queue: ConsumeQueue, offset: number): number {
  if (offset < queue.minOffset || offset >= queue.visibleOffset) return -1
  if (offset >= queue.recentStart) return entryPhysicalOffset(queue.recent, offset - queue.recentStart)
  const entry = readEntryInts(queue, offset)
  return entry === undefined || entry.length * 4 < ENTRY_BYTES ? -1 : entryPhysicalOffset(entry, 0)
}

/**
 * A queue offset by store time, within the queue's range. `lower`: the first message stored at `timestamp` or later, the maximum when all
 * are earlier. `upper`: the last stored at `timestamp` or earlier, the minimum when all are later, and the maximum less one when all
 * are earlier. `storeTimeOf` gives −1 for a message that can't be read, which counts as earlier.
 * Source: ConsumeQueue#binarySearchInQueueByTime, 5.3.x.
 */
export function searchByTime(
  minOffset: number,
  maxOffset: number,
  timestamp: number,
  boundary: TimeBoundary,
  storeTimeOf: (offset: number) => number,
): number {
  if (maxOffset <= minOffset) return minOffset
  let low = minOffset
  let high = maxOffset
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const time = storeTimeOf(middle)
    const isBehind = boundary === 'lower' ? time >= timestamp : time > timestamp
    if (isBehind) high = middle
    else low = middle + 1
  }
  return boundary === 'lower' ? low : Math.max(minOffset, low - 1)
}
