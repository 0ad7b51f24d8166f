import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@rocketmq-ts/runtime'
import { LOCK_LIFETIME_MS, QueueLocks } from '../../dist/lock/queue-locks.js'
import { AdminClock } from '../support/admin-clock.js'

const q0 = { topic: 'T', brokerName: 'b', queueId: 0 }
const q1 = { topic: 'T', brokerName: 'b', queueId: 1 }

function create() {
  const clock = new AdminClock()
  return { clock, locks: new QueueLocks(clock, silentLogger) }
}

test('a queue belongs to the first client that locks it, until that one unlocks', () => {
  const { locks } = create()
  assert.deepEqual(locks.lock('G', [q0, q1], 'c1'), [q0, q1])
  assert.deepEqual(locks.lock('G', [q0, q1], 'c2'), [])
  locks.unlock('G', [q0], 'c2')
  assert.deepEqual(locks.lock('G', [q0], 'c2'), [])
  locks.unlock('G', [q0], 'c1')
  assert.deepEqual(locks.lock('G', [q0, q1], 'c2'), [q0])
})

test('groups do not see the locks of one another', () => {
  const { locks } = create()
  locks.lock('G', [q0], 'c1')
  assert.deepEqual(locks.lock('H', [q0], 'c2'), [q0])
})

test('a lock that is not renewed expires, and one that is does not', () => {
  const { clock, locks } = create()
  locks.lock('G', [q0, q1], 'c1')
  clock.advance(LOCK_LIFETIME_MS - 1)
  locks.lock('G', [q0], 'c1')
  clock.advance(2)
  assert.deepEqual(locks.lock('G', [q0, q1], 'c2'), [q1])
})

test('a group counts as ordered while it holds a lock that is not expired', () => {
  const { clock, locks } = create()
  assert.equal(locks.isHeld('G'), false)
  locks.lock('G', [q0], 'c1')
  assert.equal(locks.isHeld('G'), true)
  clock.advance(LOCK_LIFETIME_MS + 1)
  assert.equal(locks.isHeld('G'), false)
})

test('locks of clients that are gone for long are forgotten', () => {
  const { clock, locks } = create()
  locks.lock('G', [q0], 'c1')
  clock.advance(3 * LOCK_LIFETIME_MS)
  locks.removeAbandoned()
  locks.unlock('G', [q0], 'c1')
  assert.deepEqual(locks.lock('G', [q0], 'c2'), [q0])
})
