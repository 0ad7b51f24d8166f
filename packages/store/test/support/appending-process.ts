import { writeSync } from 'node:fs'
import { realDisk, silentLogger, systemClock, TurnScheduler } from '@rocketmq-ts/runtime'
import { createStoreOptions, MessageStore } from '@rocketmq-ts/store'
import { recordOf, smallFiles } from './open-store.ts'

/**
 * A process that appends to the store in its first argument until it is killed, and prints, a line a turn, how many messages of each of
 * its queues are written.
 */
const QUEUES = 4
const turn = new TurnScheduler(systemClock)
const store = await MessageStore.open({
  disk: realDisk,
  clock: systemClock,
  turn,
  logger: silentLogger,
  directory: process.argv[2]!,
  options: createStoreOptions(smallFiles),
})
store.onWritten(() => {
  const counts = Array.from({ length: QUEUES }, (_, queueId) => store.maxOffset('T', queueId))
  writeSync(1, `${counts.join(' ')}\n`)
})

let next = 0
function appendSome(): void {
  for (let i = 0; i < 50; i++, next++) {
    const queueId = next % QUEUES
    const body = Buffer.from(`${queueId}:${store.maxOffset('T', queueId)}:${next}`.padEnd(20 + (next % 200), '.'))
    store.append(recordOf({ queueId, body, properties: `KEYS\u0001k${next}\u0002`, keys: `k${next}` }))
  }
  systemClock.setImmediate(appendSome)
}
appendSome()
