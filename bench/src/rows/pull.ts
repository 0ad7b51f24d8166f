import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Contender, createGroup, createTopic } from '../contender.ts'
import { runPullLoad } from '../load/pull-load.ts'
import { runSendLoad } from '../load/send-load.ts'
import { type Figures, measure } from '../measure.ts'

const TOPIC = 'BenchPull'
const GROUP = 'bench-puller'
const QUEUES = 8

/** Fills a backlog and pulls it again and again while it is in memory. */
export async function measureHotPull(contender: Contender, scale: number): Promise<Figures> {
  const backlog = Math.max(2000, Math.round(100_000 * scale))
  await createTopic(contender.broker, TOPIC, QUEUES)
  await createGroup(contender.broker, GROUP)
  const send = {
    address: contender.broker,
    topics: [TOPIC],
    queueCount: QUEUES,
    bodyBytes: 128,
    connections: 4,
    inFlight: 128,
  }
  await runSendLoad({ ...send, messages: backlog })
  const pull = {
    address: contender.broker,
    topic: TOPIC,
    group: GROUP,
    queueCount: QUEUES,
    maxCount: 32,
    connections: 4,
  }
  await runPullLoad({ ...pull, messages: backlog * 10 })
  return measure(contender, () => runPullLoad({ ...pull, messages: backlog * 20 }))
}

/** Takes a store's files out of the page cache, as if the backlog had been written days ago. */
export function dropFromPageCache(directory: string): void {
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    spawnSync('dd', [`if=${join(directory, name)}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' })
  }
}

/** A backlog of 1 KiB messages read once from the disk by a broker that has just been started on it. */
export async function measureColdPull(contender: Contender, scale: number): Promise<Figures> {
  const backlog = Math.max(2000, Math.round(400_000 * scale))
  const topic = 'BenchCold'
  await createTopic(contender.broker, topic, QUEUES)
  await createGroup(contender.broker, GROUP)
  const send = {
    address: contender.broker,
    topics: [topic],
    queueCount: QUEUES,
    bodyBytes: 1024,
    connections: 4,
    inFlight: 64,
  }
  await runSendLoad({ ...send, messages: backlog })
  spawnSync('sync')
  await contender.restartAfterKill('BenchStart')
  const pull = { address: contender.broker, topic, group: GROUP, queueCount: QUEUES, maxCount: 32, connections: 4 }
  await runPullLoad({ ...pull, messages: Math.round(backlog / 20) })
  spawnSync('sync')
  dropFromPageCache(contender.storeDirectory)
  return measure(contender, () => runPullLoad({ ...pull, messages: Math.round(backlog * 0.9) }))
}
