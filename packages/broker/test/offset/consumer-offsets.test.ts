import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@rocketmq-ts/runtime'
import { ConsumerOffsets } from '../../dist/offset/consumer-offsets.js'
import { AdminClock } from '../support/admin-clock.js'

function create(useServerSideResetOffset = true) {
  const options = { useServerSideResetOffset, consumerOffsetUpdateVersionStep: 3 }
  return new ConsumerOffsets(new AdminClock(), silentLogger, options)
}

test('an offset is known to the group that committed it, for the queue it committed', () => {
  const offsets = create()
  offsets.commit('G', 'T', 1, 5)
  assert.equal(offsets.query('G', 'T', 1), 5)
  assert.equal(offsets.query('G', 'T', 0), -1)
  assert.equal(offsets.query('H', 'T', 1), -1)
})

test('a smaller offset than the stored one is accepted', () => {
  const offsets = create()
  offsets.commit('G', 'T', 0, 9)
  offsets.commit('G', 'T', 0, 4)
  assert.equal(offsets.query('G', 'T', 0), 4)
})

test('the data version moves on with every third commit that changes something', () => {
  const offsets = create()
  for (const offset of [1, 1, 2]) offsets.commit('G', 'T', 0, offset)
  assert.equal(offsets.version.counter, 0)
  offsets.commit('G', 'T', 0, 3)
  assert.equal(offsets.version.counter, 1)
})

test('a reset is pending until it is taken over once', () => {
  const offsets = create()
  offsets.commit('G', 'T', 0, 9)
  offsets.assignReset('G', 'T', 0, 2)
  assert.equal(offsets.hasReset('G', 'T', 0), true)
  offsets.commit('G', 'T', 0, 10)
  assert.equal(offsets.query('G', 'T', 0), 2)
  assert.equal(offsets.takeReset('G', 'T', 0), 2)
  assert.equal(offsets.takeReset('G', 'T', 0), -1)
  assert.equal(offsets.hasReset('G', 'T', 0), false)
  assert.equal(offsets.query('G', 'T', 0), 10)
})

test('without server-side reset the committed offset is what counts', () => {
  const offsets = create(false)
  offsets.assignReset('G', 'T', 0, 2)
  offsets.commit('G', 'T', 0, 9)
  assert.equal(offsets.query('G', 'T', 0), 9)
})

test('deleting a topic takes its committed, pulled and reset offsets along (case R65)', () => {
  const offsets = create()
  offsets.commit('G', 'T', 0, 2)
  offsets.commit('G', 'U', 0, 3)
  offsets.notePulled('G', 'T', 0, 7)
  offsets.assignReset('G', 'T', 1, 1)
  offsets.removeTopic('T')
  assert.equal(offsets.query('G', 'T', 0), -1)
  assert.equal(offsets.queryPulled('G', 'T', 0), -1)
  assert.equal(offsets.hasReset('G', 'T', 1), false)
  assert.deepEqual(offsets.topicsOf('G'), ['U'])
})

test('deleting a group leaves the others alone', () => {
  const offsets = create()
  offsets.commit('G', 'T', 0, 2)
  offsets.commit('H', 'T', 0, 3)
  offsets.removeGroup('G')
  assert.deepEqual(offsets.groupsOf('T'), ['H'])
})

test('a cloned group starts where the other one is, and goes its own way', () => {
  const offsets = create()
  offsets.commit('G', 'T', 0, 2)
  offsets.commit('H', 'T', 1, 8)
  offsets.cloneGroup('G', 'H', 'T')
  offsets.commit('G', 'T', 0, 3)
  assert.deepEqual([...offsets.offsetsOf('H', 'T')!], [[0, 2]])
})

test('the smallest offset over all groups leaves out what the queue no longer has', () => {
  const offsets = create()
  offsets.commit('G', 'T', 0, 2)
  offsets.commit('H', 'T', 0, 9)
  offsets.commit('I', 'T', 0, 6)
  assert.deepEqual([...offsets.smallestOf('T', () => 3)], [[0, 6]])
})

test('a client that commits for endless queue ids does not make the table endless', () => {
  const offsets = create()
  for (let queueId = 0; queueId < 70_000; queueId++) offsets.commit('G', 'T', queueId, 1)
  assert.equal(offsets.offsetsOf('G', 'T')!.size, 65_536)
})
