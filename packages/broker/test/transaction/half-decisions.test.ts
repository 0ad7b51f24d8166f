import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HalfDecisions } from '../../dist/transaction/half-decisions.js'
import { OffsetSet } from '../../dist/transaction/offset-set.js'
import { parseOpBody } from '../../dist/transaction/op-log.js'

test('a set of offsets has what was added and not deleted', () => {
  const offset = fc.oneof(fc.nat(100), fc.integer({ min: 32_700, max: 32_800 }), fc.nat(Number.MAX_SAFE_INTEGER))
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), offset)), changes => {
      const [set, model] = [new OffsetSet(), new Set<number>()]
      for (const [isAdded, value] of changes) {
        if (isAdded) set.add(value)
        else set.delete(value)
        if (isAdded) model.add(value)
        else model.delete(value)
      }
      for (const [, value] of changes) assert.equal(set.has(value), model.has(value))
    }),
  )
})

test('a set forgets whole chunks only', () => {
  const set = new OffsetSet()
  for (const value of [1, 40_000, 70_000]) set.add(value)
  set.forgetBelow(70_000)
  assert.deepEqual([set.has(1), set.has(40_000), set.has(70_000)], [false, false, true])
})

test('an answer to any copy of a half ends the newest one, once', () => {
  const decisions = new HalfDecisions()
  decisions.move(3, 10)
  decisions.move(10, 20)
  assert.deepEqual([decisions.target(3), decisions.target(10), decisions.target(20)], [20, 20, 20])
  assert.ok(decisions.isSuperseded(10, undefined))
  assert.ok(!decisions.isSuperseded(20, undefined))
  decisions.end(10, 20)
  assert.deepEqual([decisions.target(3), decisions.target(10), decisions.target(20)], [undefined, undefined, undefined])
  assert.ok(decisions.isDecided(20))
  decisions.undo(10, 20)
  assert.deepEqual([decisions.target(3), decisions.target(20)], [20, 20])
})

test('the copies of a former process are connected by what they say themselves', () => {
  const decisions = new HalfDecisions()
  decisions.connect(10, 3)
  assert.equal(decisions.target(3), 10)
  assert.ok(decisions.isSuperseded(12, 3))
  decisions.connect(12, 3)
  assert.equal(decisions.target(3), 10)
})

test('op bodies of any kind give the numbers in them', () => {
  assert.deepEqual(parseOpBody(Buffer.from('0,1,3,')), [0, 1, 3])
  assert.deepEqual(parseOpBody(Buffer.from('17')), [17])
  assert.deepEqual(parseOpBody(Buffer.from(',-1,x, 5,99999999999999999999,7')), [7])
  fc.assert(fc.property(fc.uint8Array(), bytes => parseOpBody(Buffer.from(bytes)).every(Number.isSafeInteger)))
})
