import {
  type Config,
  type Contender,
  type StartedContender,
  startJavaContender,
  startOurContender,
} from './contender.ts'
import { runSendLoad } from './load/send-load.ts'
import type { Figures } from './measure.ts'
import { type ClientFigures, type ClientName, measureClientConsume, measureClientSend } from './rows/clients.ts'
import { measureEndToEnd } from './rows/end-to-end.ts'
import { measureColdPull, measureHotPull } from './rows/pull.ts'
import { measureRestart } from './rows/restart.ts'
import { measureSend, sendWorkloads, warmUp } from './rows/send.ts'
import type { Row } from './table.ts'

export interface SuiteOptions {
  readonly scale: number
  readonly includes: (name: string) => boolean
  readonly log: (line: string) => void
}

type Pair<T> = { ours: T; java: T }

/** Runs `work` on a fresh broker of each kind, ours first; each is stopped before the other starts. */
async function onBoth<T>(
  work: (contender: Contender, started: StartedContender) => Promise<T>,
  config: Config = {},
): Promise<Pair<T>> {
  const results: T[] = []
  for (const start of [startOurContender, startJavaContender]) {
    const started = await start(config)
    try {
      results.push(await work(started.contender, started))
    } finally {
      await started.contender.stop()
    }
  }
  return { ours: results[0] as T, java: results[1] as T }
}

const perCpu = 'messages per broker-CPU-second'

/** One ratio row of a pair. */
function compare(workload: string, metric: string, unit: string, pair: Pair<number>, target: Row['target']): Row {
  return { workload, metric, unit, ours: pair.ours, theirs: pair.java, against: 'Java', ...(target ? { target } : {}) }
}

function pick(pair: Pair<Figures>, key: keyof Figures): Pair<number> {
  return { ours: pair.ours[key], java: pair.java[key] }
}

async function sendRows(options: SuiteOptions): Promise<Row[]> {
  const workloads = sendWorkloads(options.scale)
  const rows: Row[] = []
  const one = async (name: keyof typeof workloads, config?: Config) => {
    options.log(`send ${name} …`)
    const pair = await onBoth(contender => measureSend(contender, workloads[name], options.scale), config)
    options.log(JSON.stringify(pair))
    return pair
  }
  if (options.includes('send-small')) {
    const pair = await one('small')
    const name = 'send 128 B, 8 x 256, ASYNC_FLUSH'
    rows.push(compare(name, perCpu, '1/s', pick(pair, 'perCpuSecond'), { atLeast: 3 }))
    rows.push(compare(name, 'throughput', '1/s', pick(pair, 'perSecond'), { atLeast: 2.5 }))
    rows.push(compare(name, 'p99 latency', 'ms', pick(pair, 'p99Ms'), { atMost: 0.5 }))
  }
  if (options.includes('send-kilobyte')) {
    const pair = await one('kilobyte')
    rows.push(compare('send 1 KiB, 4 x 64', perCpu, '1/s', pick(pair, 'perCpuSecond'), { atLeast: 3 }))
  }
  if (options.includes('send-large')) {
    const pair = await one('large')
    rows.push(compare('send 64 KiB, 4 x 32', 'throughput', 'MB/s', pick(pair, 'megabytesPerSecond'), { atLeast: 1.3 }))
  }
  if (options.includes('send-single')) {
    const pair = await one('single')
    rows.push(compare('send one at a time', 'p50 latency', 'ms', pick(pair, 'p50Ms'), { atMost: 0.667 }))
    rows.push(compare('send one at a time', 'p99 latency', 'ms', pick(pair, 'p99Ms'), { atMost: 0.667 }))
  }
  if (options.includes('send-many-topics')) {
    const pair = await one('manyTopics')
    rows.push(compare('send to 1,000 topics x 8 queues', perCpu, '1/s', pick(pair, 'perCpuSecond'), { atLeast: 3 }))
  }
  if (options.includes('send-sync')) {
    const pair = await one('sync', { flushDiskType: 'SYNC_FLUSH' })
    const name = 'send 128 B, 8 x 256, SYNC_FLUSH'
    rows.push(compare(name, perCpu, '1/s', pick(pair, 'perCpuSecond'), { atLeast: 3 }))
    rows.push(compare(name, 'throughput', '1/s', pick(pair, 'perSecond'), { atLeast: 1.5 }))
    rows.push({ workload: name, metric: 'errors', unit: 'answers', ours: pair.ours.errors, target: { atMost: 0 } })
  }
  return rows
}

async function pullRows(options: SuiteOptions): Promise<Row[]> {
  const rows: Row[] = []
  if (options.includes('pull-hot')) {
    options.log('pull hot …')
    const pair = await onBoth(async contender => {
      await warmUp(contender, options.scale)
      return measureHotPull(contender, options.scale)
    })
    rows.push(compare('pull a hot backlog, 32 a pull', perCpu, '1/s', pick(pair, 'perCpuSecond'), { atLeast: 3 }))
  }
  if (options.includes('pull-cold')) {
    options.log('pull cold …')
    const pair = await onBoth(contender => measureColdPull(contender, options.scale))
    rows.push(
      compare('pull a cold backlog of 1 KiB from disk', perCpu, '1/s', pick(pair, 'perCpuSecond'), { atLeast: 1.5 }),
    )
  }
  if (options.includes('end-to-end')) {
    options.log('end to end …')
    const pair = await onBoth(async contender => {
      await warmUp(contender, options.scale)
      return measureEndToEnd(contender, options.scale)
    })
    const p50 = { ours: pair.ours.p50Ms, java: pair.java.p50Ms }
    rows.push(compare('send to an idle long poll', 'p50 latency', 'ms', p50, { atMost: 1 }))
  }
  return rows
}

async function footprintRows(options: SuiteOptions): Promise<Row[]> {
  const rows: Row[] = []
  if (options.includes('start-and-memory')) {
    options.log('start and memory …')
    const messages = Math.max(1000, Math.round(1_000_000 * options.scale))
    const load = { topics: ['BenchSend'], queueCount: 8, bodyBytes: 128, connections: 8, inFlight: 256, messages }
    const pair = await onBoth(async (contender, { startSeconds }) => {
      await runSendLoad({ address: contender.broker, ...load })
      return { startSeconds, rssMiB: contender.process.usage().rssBytes / 2 ** 20 }
    })
    const rss = { ours: pair.ours.rssMiB, java: pair.java.rssMiB }
    const start = { ours: pair.ours.startSeconds, java: pair.java.startSeconds }
    rows.push(compare('memory after a million messages', 'RSS', 'MiB', rss, undefined))
    rows.push({
      workload: 'memory after a million messages',
      metric: 'RSS',
      unit: 'MiB',
      ours: rss.ours,
      target: { atMost: 200 },
    })
    rows.push(compare('start to first acknowledged send', 'time', 's', start, undefined))
    rows.push({
      workload: 'start to first acknowledged send',
      metric: 'time',
      unit: 's',
      ours: start.ours,
      target: { atMost: 0.8 },
    })
  }
  if (options.includes('restart')) {
    options.log('restart …')
    const pair = await onBoth(contender => measureRestart(contender, options.scale))
    rows.push(compare('restart after kill -9, 8,000 consume queues', 'time', 's', pair, undefined))
    rows.push({
      workload: 'restart after kill -9, 8,000 consume queues',
      metric: 'time',
      unit: 's',
      ours: pair.ours,
      target: { atMost: 2.5 },
    })
  }
  return rows
}

async function clientRows(options: SuiteOptions): Promise<Row[]> {
  const rows: Row[] = []
  const kinds = [
    ['client-send', 'client: send 128 B, 256 in flight', measureClientSend, { 'ali-ons': 3, java: 1.5 }],
    ['client-consume', 'client: consume a backlog of 128 B', measureClientConsume, { 'ali-ons': 2.5, java: undefined }],
  ] as const
  for (const [key, workload, measureClient, targets] of kinds) {
    if (!options.includes(key)) continue
    options.log(`${key} …`)
    const { contender } = await startOurContender()
    const figures: Partial<Record<ClientName, ClientFigures>> = {}
    try {
      for (const name of ['ours', 'ali-ons', 'java'] as const) {
        figures[name] = await measureClient(contender, name, options.scale)
        options.log(`${name} ${JSON.stringify(figures[name])}`)
      }
    } finally {
      await contender.stop()
    }
    for (const against of ['ali-ons', 'java'] as const) {
      const target = targets[against]
      rows.push({
        workload,
        metric: 'messages per client-CPU-second',
        unit: '1/s',
        ours: figures.ours?.perCpuSecond ?? Number.NaN,
        theirs: figures[against]?.perCpuSecond ?? Number.NaN,
        against,
        ...(target === undefined ? {} : { target: { atLeast: target } }),
      })
    }
  }
  return rows
}

/** Every row that the options ask for, in the order of the table. */
export async function measureSuite(options: SuiteOptions): Promise<Row[]> {
  const rows: Row[] = []
  for (const part of [sendRows, pullRows, footprintRows, clientRows]) rows.push(...(await part(options)))
  return rows
}
