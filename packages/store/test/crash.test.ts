import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeStoredMessages } from '@rocketmq-ts/model'
import { seededRandom } from '@rocketmq-ts/runtime'
import type { MessageStore, StoreOptions } from '@rocketmq-ts/store'
import { PowerOff, SimClock, SimDisk } from '@rocketmq-ts/testing'
import { readQueue } from './support/open-store.ts'
import { type Life, newScene, openScene, runWorkload, type Scene, sendSome } from './support/workload.ts'

/**
 * The life of a store is ended before each change to the disk, once as a kill (what was written stays) and once as a
 * loss of power (what wasn't synced is lost, kept or torn by seed). Whatever comes back must be a prefix of what was
 * sent, and hold every message that was acknowledged. Files are small, so lives also end at their borders (case R60).
 */

const SEEDS = (process.env.CRASH_SEEDS ?? '1,2').split(',').map(Number)
const STEPS = Number(process.env.CRASH_STEPS ?? 60)

type Ending = 'kill' | 'power loss'

/** The log's end up to which everything was acknowledged, for a store that acknowledges as configured. */
function acknowledged(life: Life, ending: Ending): number {
  return ending === 'kill' ? life.written : life.flushed
}

async function checkPrefix(store: MessageStore, life: Life, ending: Ending): Promise<void> {
  const end = store.watermarks.written
  assert.ok(end >= acknowledged(life, ending), `the log ends at ${end}, acknowledged was ${acknowledged(life, ending)}`)
  const kept = life.sent.filter(sent => sent.endOffset <= end)
  const lost = life.sent.filter(sent => sent.endOffset > end)
  assert.ok(
    lost.every(sent => sent.physicalOffset >= end),
    'the log ends between two records',
  )
  const queues = new Map<string, typeof kept>()
  for (const sent of kept) {
    const key = `${sent.topic}/${sent.queueId}`
    queues.set(key, [...(queues.get(key) ?? []), sent])
  }
  for (const queue of store.queues()) {
    const expected = queues.get(`${queue.topic}/${queue.queueId}`) ?? []
    assert.equal(queue.maxOffset, expected.length, `maximum of ${queue.topic}/${queue.queueId}`)
  }
  for (const [key, expected] of queues) {
    const [topic, queueId] = key.split('/') as [string, string]
    const messages = decodeStoredMessages(Buffer.concat(await readQueue(store, topic, Number(queueId), 0)))
    assert.deepEqual(
      messages.map(message => [message.queueOffset, message.physicalOffset, message.body.toString()]),
      expected.map(sent => [sent.queueOffset, sent.physicalOffset, sent.bodyText]),
      `messages of ${key}`,
    )
  }
  await checkIndex(store, kept)
}

async function checkIndex(store: MessageStore, kept: Life['sent']): Promise<void> {
  for (const sent of kept) {
    const { records } = await store.queryIndex(sent.topic, sent.uniqueKey, 64, 0, Number.MAX_SAFE_INTEGER, true)
    const found = records.filter(record => record.includes(`UNIQ_KEY\u0001${sent.uniqueKey}\u0002`))
    assert.equal(found.length, 1, `index entries of ${sent.uniqueKey}`)
  }
}

/** The next life: checks, goes on for a while, stops cleanly and checks again. */
async function checkNextLife(scene: Scene, ending: Ending, seed: number): Promise<void> {
  const { life } = scene
  const { store } = await openScene(scene)
  await checkPrefix(store, life, ending)
  life.sent.splice(0, life.sent.length, ...life.sent.filter(sent => sent.endOffset <= store.watermarks.written))
  life.written = store.watermarks.written
  const random = seededRandom(seed)
  for (let i = 0; i < 5; i++) sendSome(store, random, life)
  await scene.clock.settle()
  await checkPrefix(store, life, 'kill')
  const closing = store.close()
  await scene.clock.settle()
  await closing
  const again = (await openScene(scene)).store
  await checkPrefix(again, life, 'kill')
  const closingAgain = again.close()
  await scene.clock.settle()
  await closingAgain
}

async function crashAt(
  seed: number,
  boundary: number,
  ending: Ending,
  options: Partial<StoreOptions>,
): Promise<boolean> {
  const clock = new SimClock()
  const disk = new SimDisk({ random: seededRandom(seed + boundary), now: () => clock.now() })
  const scene = newScene(seed, disk, clock, options)
  disk.hook = () => {
    if (disk.changeCount > boundary) throw new PowerOff('crash')
    return undefined
  }
  try {
    await runWorkload(scene, STEPS)
  } catch (error) {
    if (!disk.isOff) throw error
  }
  const hasCrashed = disk.isOff
  if (ending === 'kill') disk.restart()
  else disk.restartAfterPowerLoss()
  // A copy: what the dead store still does in memory is no part of the story.
  const life = { ...scene.life, sent: [...scene.life.sent] }
  const next = { ...scene, life, clock: new SimClock(clock.now() + 1000) }
  await checkNextLife(next, ending, seed)
  return hasCrashed
}

describe('a store whose life ends at any change to the disk', () => {
  for (const flushDiskType of ['ASYNC_FLUSH', 'SYNC_FLUSH'] as const) {
    for (const ending of ['kill', 'power loss'] as const) {
      for (const seed of SEEDS) {
        it(`comes back with all it acknowledged: ${flushDiskType}, ${ending}, seed ${seed}`, async () => {
          for (let boundary = 0; ; boundary++) {
            try {
              if (!(await crashAt(seed, boundary, ending, { flushDiskType }))) break
            } catch (error) {
              const why = error instanceof Error ? error.stack : String(error)
              throw new Error(`seed ${seed}, ${flushDiskType}, ${ending} at change ${boundary}: ${why}`, {
                cause: error,
              })
            }
          }
        })
      }
    }
  }
})
