import type { Clock, Disk } from '@rocketmq-ts/runtime'
import { type QueueFilesState, recoverQueueEnd } from './queue-recovery.ts'
import type { QueueTable } from './queue-table.ts'

/** Longest stretch without letting the event loop turn. */
const SLICE_MS = 20

/**
 * Opens every consume queue under `<directory>/consumequeue`. Entries of a topic's directory that are no numbers are skipped. Resolves
 * when each queue continues where its files end; throws `STORE_CORRUPT` naming a file of wrong length or name.
 */
export async function loadQueues(
  disk: Disk,
  clock: Clock,
  directory: string,
  queues: QueueTable,
  state: QueueFilesState,
): Promise<void> {
  const root = `${directory}/consumequeue`
  let sliceEnd = clock.monotonic() + SLICE_MS
  for (const topic of disk.list(root) ?? []) {
    if (!topic.isDirectory) continue
    for (const entry of disk.list(`${root}/${topic.name}`) ?? []) {
      if (!entry.isDirectory || !/^\d{1,9}$/.test(entry.name)) continue
      const queue = queues.getOrCreate(topic.name, Number(entry.name))
      recoverQueueEnd(queue, state)
      queue.ext?.recover(state === 'cut')
      if (clock.monotonic() >= sliceEnd) {
        await new Promise<void>(resolve => clock.setImmediate(resolve))
        sliceEnd = clock.monotonic() + SLICE_MS
      }
    }
  }
}
