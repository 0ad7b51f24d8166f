import { CURRENT_VERSION, javaDoubleText, versionName } from '@rocketmq-ts/protocol'
import type { Clock, Disk } from '@rocketmq-ts/runtime'
import type { BrokerOptions } from '../options.ts'
import type { BrokerStats } from './broker-stats.ts'
import { byteCountText, runtimeText } from './java-text.ts'

/** What the store and the broker know about themselves at this moment. */
export interface RuntimeFacts {
  /** Serves as master: accepts messages and runs the background services. */
  readonly isActive: boolean
  readonly commitLogMinOffset: number
  readonly commitLogMaxOffset: number
  readonly bytesBehindDispatch: number
  readonly bytesToFlush: number
  /** Store time of the oldest message in ms; -1 without messages. */
  readonly earliestStoreTimeMs: number
  /** Requests that wait. */
  readonly sendQueueSize: number
  readonly pullQueueSize: number
  /** Of each delay level in use: the next offset to deliver and the greatest. */
  readonly scheduleOffsets: Iterable<readonly [level: number, delivered: number, max: number]>
}

/** What Java answers where no transient pool is used: all of its (imaginary) buffers are free. */
const freeTransientBuffers = 2_147_483_647

/**
 * The table of GET_BROKER_RUNTIME_INFO, with Java's keys and texts. Queues of thread pools, which don't exist here, are shown
 * empty with their configured capacity, because tools read them.
 * Source: AdminBrokerProcessor#prepareRuntimeInfo, StoreStatsService#getRuntimeInfo, 5.3.x
 */
export function runtimeInfo(deps: {
  options: BrokerOptions
  stats: BrokerStats
  clock: Clock
  disk: Disk
  facts: RuntimeFacts
}): Map<string, string> {
  const { options, stats, clock, disk, facts } = deps
  const table: Record<string, string | number | boolean> = {
    ...throughput(stats, clock.now()),
    ...diskRatios(options, disk),
    ...threadPools(options, facts),
    brokerActive: facts.isActive,
    brokerVersionDesc: versionName(CURRENT_VERSION),
    brokerVersion: CURRENT_VERSION,
    ...dayTotals(stats),
    commitLogMinOffset: facts.commitLogMinOffset,
    commitLogMaxOffset: facts.commitLogMaxOffset,
    dispatchBehindBytes: facts.bytesBehindDispatch,
    pageCacheLockTimeMills: 0,
    earliestMessageTimeStamp: facts.earliestStoreTimeMs,
    startAcceptSendRequestTimeStamp: options.startAcceptSendRequestTimestampMs,
    timerReadBehind: 0,
    timerOffsetBehind: 0,
    timerCongestNum: 0,
    timerEnqueueTps: '0.0',
    timerDequeueTps: '0.0',
    remainTransientStoreBufferNumbs: freeTransientBuffers,
    remainHowManyDataToFlush: byteCountText(facts.bytesToFlush),
  }
  for (const [level, delivered, max] of facts.scheduleOffsets)
    table[`scheduleMessageOffset_${level}`] = `${delivered},${max}`
  return new Map(Object.entries(table).map(([key, value]) => [key, String(value)]))
}

function throughput(stats: BrokerStats, nowMs: number) {
  const { putCount, putBytes } = stats.totals
  const times = putCount === 0 ? 1 : putCount
  const text = (field: 'put' | 'found' | 'miss' | 'transferred') =>
    stats
      .rates(field)
      .map(rate => (rate === undefined ? '' : javaDoubleText(rate)))
      .join(' ')
  const found = stats.rates('found')
  const miss = stats.rates('miss')
  return {
    bootTimestamp: stats.bootTimestampMs,
    runtime: runtimeText(nowMs - stats.bootTimestampMs),
    putMessageEntireTimeMax: stats.putLatency.maxMs,
    // Java's quirk: never 0, because it divides by it.
    putMessageTimesTotal: times,
    putMessageFailedTimes: stats.putFailures,
    putMessageSizeTotal: putBytes,
    putMessageDistributeTime: stats.putLatency.distributionText(),
    putMessageAverageSize: javaDoubleText(putBytes / times),
    dispatchMaxBuffer: 0,
    getMessageEntireTimeMax: stats.getElapsedMaxMs,
    putTps: text('put'),
    getFoundTps: text('found'),
    getMissTps: text('miss'),
    getTotalTps: found.map((rate, index) => javaDoubleText((rate ?? 0) + (miss[index] ?? 0))).join(' '),
    getTransferredTps: text('transferred'),
    putLatency99: stats.putLatency.percentileMs(0.99).toFixed(2),
    putLatency999: stats.putLatency.percentileMs(0.999).toFixed(2),
  }
}

function dayTotals(stats: BrokerStats) {
  const { mornings, userTotals } = stats
  return {
    msgPutTotalYesterdayMorning: mornings.putYesterday,
    msgPutTotalTodayMorning: mornings.putToday,
    msgPutTotalTodayNow: userTotals.put,
    msgGetTotalYesterdayMorning: mornings.getYesterday,
    msgGetTotalTodayMorning: mornings.getToday,
    msgGetTotalTodayNow: userTotals.get,
  }
}

function diskRatios(options: BrokerOptions, disk: Disk): Record<string, string> {
  const root = options.storePathRootDir
  const commitLogPaths = (options.storePathCommitLog ?? `${root}/commitlog`).split(',').map(path => path.trim())
  const result: Record<string, string> = {}
  let least = Number.MAX_VALUE
  for (const path of commitLogPaths) {
    const ratio = diskRatio(disk, path)
    result[`commitLogDiskRatio_${path}`] = javaDoubleText(ratio)
    least = Math.min(least, ratio)
  }
  result.commitLogDiskRatio = javaDoubleText(least)
  result.consumeQueueDiskRatio = javaDoubleText(diskRatio(disk, `${root}/consumequeue`))
  const usage = disk.usage(root)
  if (usage !== undefined) {
    const free = byteCountText(usage.totalBytes - usage.usedBytes)
    result.commitLogDirCapacity = `Total : ${byteCountText(usage.totalBytes)}, Free : ${free}.`
  }
  return result
}

/** The used part of a partition in hundredths, rounded up; -1 when unknown. */
function diskRatio(disk: Disk, path: string): number {
  if (disk.stat(path) === undefined) return -1
  const usage = disk.usage(path)
  const entire = usage === undefined ? 0 : usage.usedBytes + usage.availableBytes
  return entire === 0 ? -1 : Math.ceil((usage!.usedBytes * 100) / entire) / 100
}

function threadPools(options: BrokerOptions, facts: RuntimeFacts): Record<string, number> {
  const pools = [
    ['send', facts.sendQueueSize, options.sendQueueCapacity],
    ['pull', facts.pullQueueSize, options.pullQueueCapacity],
    ['litePull', 0, options.litePullThreadPoolQueueCapacity],
    ['query', 0, options.queryThreadPoolQueueCapacity],
    ['ack', 0, options.ackThreadPoolQueueCapacity],
  ] as const
  const result: Record<string, number> = {
    EndTransactionQueueSize: 0,
    EndTransactionThreadPoolQueueCapacity: options.endTransactionPoolQueueCapacity,
  }
  for (const [pool, size, capacity] of pools) {
    result[`${pool}ThreadPoolQueueSize`] = size
    result[`${pool}ThreadPoolQueueCapacity`] = capacity
    result[`${pool}ThreadPoolQueueHeadWaitTimeMills`] = 0
  }
  return result
}
