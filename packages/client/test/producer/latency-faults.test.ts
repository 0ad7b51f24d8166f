import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LatencyFaults } from '../../dist/producer/latency-faults.js'
import { hashIndex, nextHealthyTarget, nextTarget } from '../../dist/producer/queue-selection.js'
import type { QueueTarget } from '../../dist/producer/topic-context.js'

for (const [latencyMs, notAvailableMs] of [
  [0, 0],
  [99, 0],
  [549, 0],
  [550, 2000],
  [1799, 2000],
  [1800, 5000],
  [3000, 6000],
  [5000, 10_000],
  [14_999, 10_000],
  [15_000, 30_000],
] as const) {
  test(`a send that took ${latencyMs} ms keeps its broker out for ${notAvailableMs} ms`, () => {
    const faults = new LatencyFaults()
    faults.note('b', latencyMs, false, true, 1000)
    if (notAvailableMs > 0) assert.equal(faults.isAvailable('b', 1000 + notAvailableMs - 1), false)
    assert.equal(faults.isAvailable('b', 1000 + notAvailableMs), true)
  })
}

test('a failure counts as ten seconds, and a later quick send does not bring the end forward', () => {
  const faults = new LatencyFaults()
  faults.note('b', 5, true, false, 0)
  assert.equal(faults.isAvailable('b', 9999), false)
  assert.equal(faults.isReachable('b'), false)
  faults.note('b', 5, false, true, 100)
  assert.equal(faults.isAvailable('b', 9999), false)
  assert.equal(faults.isReachable('b'), true)
  assert.equal(faults.isAvailable('b', 10_000), true)
})

test('the detector is told of each broker once per interval, and its success only sets reachable', () => {
  const faults = new LatencyFaults()
  faults.note('b', 5, true, false, 0)
  assert.deepEqual(faults.dueForCheck(10, 2000), ['b'])
  assert.deepEqual(faults.dueForCheck(2009, 2000), [])
  assert.deepEqual(faults.dueForCheck(2010, 2000), ['b'])
  faults.markReachable('b')
  assert.equal(faults.isReachable('b'), true)
  assert.equal(faults.isAvailable('b', 9999), false)
  faults.forget('b')
  assert.equal(faults.isAvailable('b', 0), true)
})

function targetsOf(...brokerNames: string[]): QueueTarget[] {
  return brokerNames.map(
    (brokerName, queueId) => ({ brokerName, queue: { topic: 'T', brokerName, queueId } }) as unknown as QueueTarget,
  )
}
function infoFrom(nextIndex: number) {
  return { topic: 'T', isOrderTopic: false, isBorrowed: false, queues: [], nextIndex }
}

test('the broker that just failed is passed over, unless it is the only one', () => {
  const targets = targetsOf('a', 'a', 'b')
  const info = infoFrom(0)
  assert.equal(nextTarget(info, targets, 'a').brokerName, 'b')
  assert.equal(nextTarget(infoFrom(0), targetsOf('a', 'a'), 'a').brokerName, 'a')
})

test('available brokers come first, then reachable ones, then any', () => {
  const targets = targetsOf('a', 'b')
  const faults = new LatencyFaults()
  faults.note('a', 0, true, true, 0)
  assert.equal(nextHealthyTarget(infoFrom(0), targets, undefined, faults, 1).brokerName, 'b')
  faults.note('b', 0, true, false, 0)
  assert.equal(nextHealthyTarget(infoFrom(1), targets, undefined, faults, 1).brokerName, 'a')
  faults.note('a', 0, true, false, 0)
  const seen = [0, 1].map(index => nextHealthyTarget(infoFrom(index), targets, undefined, faults, 1).brokerName)
  assert.deepEqual(seen.sort(), ['a', 'b'])
})

test('the index wraps at 2^31 without leaving the list', () => {
  const info = infoFrom(0x7fffffff)
  const targets = targetsOf('a', 'b', 'c')
  for (let i = 0; i < 4; i++) assert.ok(targets.includes(nextTarget(info, targets, undefined)))
  assert.equal(info.nextIndex, 3)
})

test("keys are hashed as by Java's selector, negative hashes included", () => {
  assert.equal(hashIndex('a', 4), 97 % 4)
  // "polygenelubricants".hashCode() is the smallest int32, whose remainder is negative.
  assert.equal(hashIndex('polygenelubricants', 7), 2)
  assert.equal(hashIndex('polygenelubricants', 8), 0)
})
