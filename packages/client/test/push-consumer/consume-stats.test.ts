import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConsumeStats } from '@rocketmq-ts/client/internal'
import { ManualClock } from '../support/manual-clock.ts'

test('rates are those of the last minute, failures those of the last hour', () => {
  const clock = new ManualClock()
  const stats = new ConsumeStats(clock)
  stats.start()
  for (let second = 0; second < 120; second += 10) {
    stats.pulled('orders', 100, 4)
    stats.consumed('orders', 60, second < 60 ? 30 : 0, 5)
    clock.advance(10_000)
  }
  const status = stats.status('orders')
  assert.equal(status.pullTPS, 10)
  assert.equal(status.pullRT, 4)
  assert.equal(status.consumeOKTPS, 6)
  assert.equal(status.consumeFailedTPS, 0)
  assert.equal(status.consumeFailedMsgs, 180)
  assert.equal(status.consumeRT, 5)
  clock.advance(3_600_000)
  assert.deepEqual(stats.status('orders'), {
    pullRT: 0,
    pullTPS: 0,
    consumeRT: 0,
    consumeOKTPS: 0,
    consumeFailedTPS: 0,
    consumeFailedMsgs: 0,
  })
  stats.stop()
  assert.equal(clock.pendingCount, 0)
})

test('a topic that was never consumed has zeros', () => {
  assert.equal(new ConsumeStats(new ManualClock()).status('nothing').pullTPS, 0)
})
