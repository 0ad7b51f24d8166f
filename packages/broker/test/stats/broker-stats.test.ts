import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BrokerOptions, createBrokerOptions } from '../../dist/options.js'
import { BrokerStats } from '../../dist/stats/broker-stats.js'
import { AdminClock } from '../support/admin-clock.js'

function statsOf(overrides: Partial<BrokerOptions> = {}) {
  const clock = new AdminClock()
  const stats = new BrokerStats({
    clock,
    options: createBrokerOptions(overrides),
    isSystemTopic: topic => topic.startsWith('SYS'),
  })
  return { clock, stats }
}

test('a window is the newest sample minus the oldest, over the time between them', () => {
  const { clock, stats } = statsOf()
  stats.start()
  stats.addPut('T', 3, 300, 1)
  stats.addPut('T', 1, 100, 2)
  clock.advance(10_000)
  assert.deepEqual(stats.find('TOPIC_PUT_NUMS', 'T')?.statsMinute, { sum: 4, tps: 0.4, avgpt: 2 })
  assert.deepEqual(stats.find('TOPIC_PUT_SIZE', 'T')?.statsMinute, { sum: 400, tps: 40, avgpt: 200 })
  assert.deepEqual(stats.find('QUEUE_PUT_NUMS', 'T@1')?.statsMinute, { sum: 3, tps: 0.3, avgpt: 3 })
  clock.advance(50_000)
  assert.deepEqual(stats.find('TOPIC_PUT_NUMS', 'T')?.statsMinute, { sum: 4, tps: 4 / 60, avgpt: 2 })
  clock.advance(10_000)
  assert.deepEqual(stats.find('TOPIC_PUT_NUMS', 'T')?.statsMinute, { sum: 0, tps: 0, avgpt: 0 })
  stats.stop()
})

test('an hour and a day are sampled every ten minutes and every hour', () => {
  const { clock, stats } = statsOf()
  stats.start()
  stats.addGet('G', 'T', 60, 600)
  clock.advance(600_000)
  assert.deepEqual(stats.find('GROUP_GET_NUMS', 'T@G')?.statsHour, { sum: 60, tps: 0.1, avgpt: 60 })
  clock.advance(3_000_000)
  assert.deepEqual(stats.find('GROUP_GET_SIZE', 'T@G')?.statsDay, { sum: 600, tps: 600 / 3600, avgpt: 600 })
  clock.advance(25 * 3_600_000)
  assert.equal(stats.find('GROUP_GET_SIZE', 'T@G')?.statsDay.sum, 0)
  stats.stop()
})

test('a name or key under which nothing was counted is not there', () => {
  const { stats } = statsOf()
  stats.addPut('T', 1, 1)
  assert.equal(stats.find('TOPIC_PUT_NUMS', 'U'), undefined)
  assert.equal(stats.find('NO_SUCH', 'T'), undefined)
  assert.equal(stats.find('QUEUE_PUT_NUMS', 'T@0'), undefined)
  assert.equal(stats.find('QUEUE_PUT_NUMS', 'T@x'), undefined)
  assert.equal(stats.find('BROKER_PUT_NUMS', 'DefaultCluster'), undefined)
  assert.notEqual(stats.find('TOPIC_PUT_NUMS', 'T'), undefined)
})

test('the totals of the broker are kept with and without topics of the system', () => {
  const { clock, stats } = statsOf()
  stats.start()
  stats.addBrokerPut('T', 5)
  stats.addBrokerPut('SYS1', 2)
  stats.addBrokerGet('T', 7)
  clock.advance(10_000)
  const sum = (name: string) => stats.find(name, 'DefaultCluster')?.statsMinute.sum
  assert.equal(sum('BROKER_PUT_NUMS'), 7)
  assert.equal(sum('BROKER_PUT_NUMS_WITHOUT_SYSTEM_TOPIC'), 5)
  assert.equal(sum('BROKER_GET_NUMS'), 7)
  assert.equal(stats.find('BROKER_PUT_NUMS', 'OtherCluster'), undefined)
  assert.deepEqual(stats.userTotals, { put: 5, get: 7 })
  stats.stop()
})

test('without detail statistics nothing is kept per queue', () => {
  const { stats } = statsOf({ enableDetailStat: false })
  stats.addPut('T', 1, 1, 0)
  assert.equal(stats.find('QUEUE_PUT_NUMS', 'T@0'), undefined)
  assert.notEqual(stats.find('TOPIC_PUT_NUMS', 'T'), undefined)
})

test('rates appear once their span is covered', () => {
  const { clock, stats } = statsOf()
  stats.start()
  clock.advance(10_000)
  assert.deepEqual(stats.rates('put'), [undefined, undefined, undefined])
  stats.addPut('T', 100, 1)
  stats.addGet('G', 'T', 50, 1)
  stats.addMiss()
  clock.advance(1000)
  assert.deepEqual(stats.rates('put'), [10, undefined, undefined])
  assert.deepEqual(stats.rates('transferred'), [5, undefined, undefined])
  assert.deepEqual(stats.rates('found'), [0.1, undefined, undefined])
  assert.deepEqual(stats.rates('miss'), [0.1, undefined, undefined])
  clock.advance(600_000)
  assert.deepEqual(stats.rates('put'), [0, 0, 0])
  stats.stop()
})

test('midnight moves the totals of a day on', () => {
  const { clock, stats } = statsOf()
  stats.start()
  stats.addBrokerPut('T', 5)
  clock.advance(24 * 3_600_000)
  stats.addBrokerPut('T', 2)
  clock.advance(24 * 3_600_000)
  assert.deepEqual(stats.mornings, { putYesterday: 5, putToday: 7, getYesterday: 0, getToday: 0 })
  stats.stop()
  assert.equal(clock.pendingTimers, 0)
})

test('latencies are shown for the last full minute, the greatest for ever', () => {
  const { clock, stats } = statsOf()
  stats.start()
  const turn = (puts: number, elapsedMs: number) => {
    for (let index = 0; index < puts; index++) stats.addPut('T', 1, 1)
    clock.advance(elapsedMs)
    stats.putsWritten()
  }
  turn(98, 0)
  turn(1, 9)
  turn(1, 250)
  stats.putsWritten()
  assert.match(stats.putLatency.distributionText(), /^\[<=0ms\]:0 \[0~10ms\]:0 /)
  clock.advance(59_741)
  assert.match(stats.putLatency.distributionText(), /^\[<=0ms\]:98 \[0~10ms\]:1 .*\[200~500ms\]:1 .* \[10s~\]:0 $/)
  assert.equal(stats.putLatency.maxMs, 250)
  assert.ok(stats.putLatency.percentileMs(0.99) <= 9)
  assert.ok(stats.putLatency.percentileMs(0.999) > 8)
  clock.advance(60_000)
  assert.match(stats.putLatency.distributionText(), /^\[<=0ms\]:0 /)
  assert.equal(stats.putLatency.percentileMs(0.99), 0)
  stats.stop()
})

test('deleted topics and groups are forgotten', () => {
  const { stats } = statsOf()
  stats.addPut('T', 1, 1)
  stats.addGet('G', 'T', 1, 1)
  stats.addGet('H', 'U', 1, 1)
  stats.addSendBack('G', 'T')
  stats.addSendBack('H', 'U')
  stats.deleteTopic('T')
  assert.equal(stats.find('TOPIC_PUT_NUMS', 'T'), undefined)
  assert.equal(stats.find('GROUP_GET_NUMS', 'T@G'), undefined)
  assert.equal(stats.find('SNDBCK_PUT_NUMS', 'T@G'), undefined)
  assert.notEqual(stats.find('SNDBCK_PUT_NUMS', 'U@H'), undefined)
  stats.deleteGroup('H')
  assert.equal(stats.find('GROUP_GET_NUMS', 'U@H'), undefined)
  assert.equal(stats.find('SNDBCK_PUT_NUMS', 'U@H'), undefined)
})

test('idle topics are dropped when the settings say after how long', () => {
  const { clock, stats } = statsOf({ statsIdleMinutesMax: 40 })
  stats.start()
  stats.addPut('idle', 1, 1)
  for (let minute = 0; minute < 60; minute += 10) {
    stats.addPut('busy', 1, 1)
    clock.advance(600_000)
  }
  assert.equal(stats.find('TOPIC_PUT_NUMS', 'idle'), undefined)
  assert.notEqual(stats.find('TOPIC_PUT_NUMS', 'busy'), undefined)
  stats.stop()
})
