import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestCode } from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'
import { TimingWheel } from '@rocketmq-ts/runtime'
import { HeldPulls } from '../../dist/pull/held-pulls.js'
import { PullRequest } from '../../dist/pull/pull-request.js'
import { AdminClock } from '../support/admin-clock.js'
import { fakeConnection } from '../support/fake-connection.js'

function create(limit = 10) {
  const clock = new AdminClock()
  const wheel = new TimingWheel(clock)
  const rerun: number[] = []
  const held = new HeldPulls(
    wheel,
    clock,
    () => limit,
    (pull: PullRequest) => rerun.push(pull.opaque),
  )
  return { clock, wheel, held, rerun }
}

function pullOf(held: HeldPulls, opaque: number, queueId = 0, connection: Connection = fakeConnection(1)): PullRequest {
  return new PullRequest(held, connection, RequestCode.PULL_MESSAGE, opaque, {
    consumerGroup: 'G',
    topic: 'T',
    queueId,
    queueOffset: 5,
    maxMsgNums: 32,
    sysFlag: 2,
    commitOffset: 0,
    suspendTimeoutMillis: 1000,
    subscription: undefined,
    subVersion: 0,
    expressionType: undefined,
  })
}

test('a held pull is run again when its time is over, and not before', () => {
  const { clock, held, rerun } = create()
  held.hold(pullOf(held, 1), 2000)
  clock.advance(1_999)
  assert.deepEqual(rerun, [])
  clock.advance(101)
  assert.deepEqual(rerun, [1])
  assert.equal(held.size, 0)
  assert.equal(held.find('T', 0), undefined)
})

test('a woken pull does not come back at its deadline', () => {
  const { clock, wheel, held, rerun } = create()
  const pull = pullOf(held, 1)
  held.hold(pull, 2000)
  held.wake(pull)
  clock.advance(5000)
  assert.deepEqual(rerun, [1])
  assert.equal(wheel.size, 0)
})

test('waking from the end of the list reaches every pull of the queue once', () => {
  const { held, rerun } = create()
  for (let opaque = 0; opaque < 7; opaque++) held.hold(pullOf(held, opaque), 1000)
  held.hold(pullOf(held, 99, 1), 1000)
  const { pulls } = held.find('T', 0)!
  for (let index = pulls.length - 1; index >= 0; index--) {
    const pull = pulls[index]!
    if (pull.opaque % 2 === 0) held.wake(pull)
  }
  assert.deepEqual(rerun.sort(), [0, 2, 4, 6])
  assert.deepEqual(pulls.map(pull => pull.opaque).sort(), [1, 3, 5])
  assert.equal(held.size, 4)
})

test('what a closed connection waits for is forgotten', () => {
  const { clock, held, rerun } = create()
  const [a, b] = [fakeConnection(1), fakeConnection(2)]
  held.hold(pullOf(held, 1, 0, a), 1000)
  held.hold(pullOf(held, 2, 1, a), 1000)
  held.hold(pullOf(held, 3, 0, b), 1000)
  held.connectionClosed(a)
  assert.equal(held.size, 1)
  clock.advance(2000)
  assert.deepEqual(rerun, [3])
})

test('a hurried pull comes earlier, never later', () => {
  const { clock, held, rerun } = create()
  const [long, short] = [pullOf(held, 1), pullOf(held, 2)]
  held.hold(long, 30_000)
  held.hold(short, 1000)
  held.hurry(long, 5000)
  held.hurry(short, 5000)
  clock.advance(1200)
  assert.deepEqual(rerun, [2])
  clock.advance(4000)
  assert.deepEqual(rerun, [2, 1])
})

test('the table says when it is full', () => {
  const { held } = create(2)
  held.hold(pullOf(held, 1), 1000)
  assert.equal(held.isFull, false)
  held.hold(pullOf(held, 2), 1000)
  assert.equal(held.isFull, true)
})

test('clearing leaves no timer behind', () => {
  const { clock, wheel, held } = create()
  held.hold(pullOf(held, 1), 1000)
  held.clear()
  wheel.clear()
  assert.equal(held.size, 0)
  assert.equal(clock.pendingTimers, 0)
})
