import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Connection } from '@rocketmq-ts/remoting'
import fc from 'fast-check'
import { AckRing } from '../../dist/send/ack-ring.js'

const connection = { id: 1 } as Connection

function pushNumber(ring: AckRing, number: number): void {
  ring.push(connection, number, number + 1, number + 2, number + 3, number + 4, number + 5, `t${number}`, undefined)
}

function numberAt(ring: AckRing, index: number): number {
  const number = ring.opaques[index]!
  assert.equal(ring.queueIds[index], number + 1)
  assert.equal(ring.queueOffsets[index], number + 2)
  assert.equal(ring.physicalOffsets[index], number + 3)
  assert.equal(ring.endOffsets[index], number + 4)
  assert.equal(ring.deadlines[index], number + 5)
  assert.equal(ring.transactionIds[index], `t${number}`)
  assert.equal(ring.connections[index], connection)
  return number
}

test('the ring behaves like a list, over any order of pushes and drops at both ends', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('push'), count: fc.integer({ min: 1, max: 900 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('first'), count: fc.integer({ min: 1, max: 700 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('last'), count: fc.integer({ min: 1, max: 300 }) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), steps => {
      const ring = new AckRing()
      const list: number[] = []
      let next = 0
      for (const { kind, count } of steps) {
        for (let i = 0; i < count; i++) {
          if (kind === 'push') {
            pushNumber(ring, next)
            list.push(next++)
          } else if (list.length > 0 && kind === 'first') {
            assert.equal(numberAt(ring, ring.first), list.shift())
            ring.dropFirst()
          } else if (list.length > 0) {
            assert.equal(numberAt(ring, ring.last), list.pop())
            ring.dropLast()
          }
          assert.equal(ring.count, list.length)
        }
      }
    }),
    { numRuns: 50 },
  )
})

test('a dropped entry holds on to nothing', () => {
  const ring = new AckRing()
  pushNumber(ring, 7)
  const index = ring.first
  ring.dropFirst()
  assert.equal(ring.connections[index], undefined)
  assert.equal(ring.transactionIds[index], undefined)
})
