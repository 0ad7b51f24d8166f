import type { ConsumeQueue } from '@rocketmq-ts/store'
import {
  ENTRY_BYTES,
  type EntryWindow,
  entryPhysicalOffset,
  entrySize,
  entryTagsCode,
  entryTagsHigh,
  entryTagsLow,
  extAddressOf,
  isExtAddress,
  PRE_BLANK_SIZE,
} from '@rocketmq-ts/store/internal'

/** Entries of one batch. */
export const BATCH_ENTRIES_MAX = 512
/** Bytes of one batch; a single message of any size is one, too. */
const BATCH_BYTES_MAX = 1024 * 1024
/**
 * A deliver time that lies so much further ahead than its level's delay isn't taken for wrong. Java has no such margin, so
 * that a clock set back by a millisecond delivers at once what should have waited two hours.
 */
const CLOCK_MARGIN_MS = 1000

/** Due messages that follow one another in a level's queue, as their entries say. */
export interface DueBatch {
  readonly firstOffset: number
  readonly physicalOffsets: readonly number[]
  readonly sizes: readonly number[]
}

/** What a level does next: wait that long, or read a batch. */
export type Due = { readonly waitMs: number; readonly batch?: undefined } | { readonly batch: DueBatch }

/**
 * Which messages of a level's queue are due at `nowMs`, from the start of `window` on. The queue is in the order of the
 * deliver times, which its entries hold in place of a tag's hash: nothing is computed from the time of looking, so nothing
 * drifts. A time further ahead than the level's delay comes from a clock that was set back or a level that became shorter;
 * such a message is due. Source: ScheduleMessageService.DeliverDelayedMessageTimerTask#correctDeliverTimestamp, 5.3.x
 */
export function dueEntries(
  queue: ConsumeQueue,
  window: EntryWindow,
  nowMs: number,
  delayMs: number,
  entriesMax: number,
  storeTimeOf: (offset: number) => number,
): Due {
  const { ints, first, firstOffset } = window
  const latestMs = nowMs + delayMs + CLOCK_MARGIN_MS
  const end = Math.min(window.count, entriesMax, BATCH_ENTRIES_MAX)
  const physicalOffsets: number[] = []
  const sizes: number[] = []
  let bytes = 0
  for (let i = 0; i < end; i++) {
    const size = entrySize(ints, first + i)
    if (size !== PRE_BLANK_SIZE) {
      const dueMs = deliverTime(queue, ints, first + i) ?? storeTimeOf(firstOffset + i) + delayMs
      if (dueMs > nowMs && dueMs <= latestMs) {
        if (i === 0) return { waitMs: dueMs - nowMs }
        break
      }
      bytes += size
      if (i > 0 && bytes > BATCH_BYTES_MAX) break
    }
    physicalOffsets.push(entryPhysicalOffset(ints, first + i))
    sizes.push(size)
  }
  return { batch: { firstOffset, physicalOffsets, sizes } }
}

/** Undefined when the extension that holds it is gone. */
function deliverTime(queue: ConsumeQueue, ints: Int32Array, index: number): number | undefined {
  const high = entryTagsHigh(ints, index)
  const low = entryTagsLow(ints, index)
  if (queue.ext === undefined || !isExtAddress(high, low)) return entryTagsCode(ints, index)
  const unit = queue.ext.get(extAddressOf(high, low))
  return unit === undefined ? undefined : unit.tagsHigh * 2 ** 32 + (unit.tagsLow >>> 0)
}

/** The first entry of the queue's next file; for a queue whose file is gone. */
export function nextFileOffset(queue: ConsumeQueue, offset: number): number {
  const entriesPerFile = queue.log.fileSizeBytes / ENTRY_BYTES
  return offset - (offset % entriesPerFile) + entriesPerFile
}
