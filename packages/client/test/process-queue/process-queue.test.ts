import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProcessQueue, ReceivedMessage } from '@rocketmq-ts/client/internal'
import fc from 'fast-check'
import { batchAt } from '../support/records.ts'

function newQueue(nextOffset = 0) {
  const ledger = { bytes: 0 }
  const queue = { topic: 'orders', brokerName: 'broker-a', queueId: 0 }
  const processQueue = new ProcessQueue(queue, 'orders@broker-a@0', { nextOffset, nowMs: 0, isRetry: false, ledger })
  return { processQueue, ledger }
}

/** Ascending offsets with gaps, as a filtered pull brings them. */
const ascendingOffsets = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 300 }).map(gaps => {
  let offset = -1
  return gaps.map(gap => (offset += gap))
})

test('in whatever order messages finish, the offset to commit is the smallest unfinished one', () => {
  fc.assert(
    fc.property(ascendingOffsets, fc.nat(30), fc.infiniteStream(fc.nat()), (offsets, perPull, choices) => {
      const { processQueue, ledger } = newQueue()
      for (let i = 0; i < offsets.length; i += perPull + 1) processQueue.put(batchAt(offsets.slice(i, i + perPull + 1)))
      processQueue.nextOffset = offsets.at(-1)! + 1
      const unfinished = processQueue.take(offsets.length, ReceivedMessage)
      while (unfinished.length > 0) {
        const [finished] = unfinished.splice(choices.next().value! % unfinished.length, 1)
        assert.equal(processQueue.finish(finished!), true)
        const smallest = Math.min(...unfinished.map(message => message.queueOffset), offsets.at(-1)! + 1)
        assert.equal(processQueue.committableOffset, smallest)
        assert.equal(processQueue.messageCount, unfinished.length)
      }
      assert.equal(processQueue.retainedBytes, 0)
      assert.equal(ledger.bytes, 0)
    }),
    { numRuns: 200 },
  )
})

const action = fc.oneof(
  fc.record({
    kind: fc.constant('put' as const),
    gaps: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 40 }),
  }),
  fc.record({ kind: fc.constant('take' as const), count: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ kind: fc.constant('finish' as const), choice: fc.nat() }),
)

test('puts, takes and finishes in any mixture agree with a sorted map', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 120 }), actions => {
      const { processQueue } = newQueue()
      const model = new Map<number, 'here' | 'out'>()
      let newest = -1
      const out: ReceivedMessage[] = []
      for (const step of actions) {
        if (step.kind === 'put') {
          const offsets = step.gaps.map(gap => {
            newest += gap
            return newest
          })
          processQueue.put(batchAt(offsets))
          processQueue.nextOffset = newest + 1
          for (const offset of offsets) model.set(offset, 'here')
        } else if (step.kind === 'take') {
          const expected = [...model].filter(([, where]) => where === 'here').slice(0, step.count)
          const taken = processQueue.take(step.count, ReceivedMessage)
          assert.deepEqual(
            taken.map(message => message.queueOffset),
            expected.map(([offset]) => offset),
          )
          for (const message of taken) model.set(message.queueOffset, 'out')
          out.push(...taken)
        } else if (out.length > 0) {
          const [message] = out.splice(step.choice % out.length, 1)
          assert.equal(processQueue.contains(message!), true)
          assert.equal(processQueue.finish(message!), true)
          assert.equal(processQueue.contains(message!), false)
          assert.equal(processQueue.finish(message!), false)
          model.delete(message!.queueOffset)
        }
        const offsets = [...model.keys()]
        assert.equal(processQueue.messageCount, offsets.length)
        assert.equal(processQueue.handedOutCount, out.length)
        assert.equal(processQueue.committableOffset, offsets.length === 0 ? processQueue.nextOffset : offsets[0])
        assert.equal(processQueue.span, offsets.length === 0 ? 0 : newest - offsets[0]!)
        assert.equal(processQueue.hasAvailable, [...model.values()].includes('here'))
      }
    }),
    { numRuns: 200 },
  )
})

test('a message that a broker sends twice is taken once', () => {
  const { processQueue } = newQueue()
  assert.equal(processQueue.put(batchAt([0, 1, 2])), 3)
  assert.equal(processQueue.put(batchAt([1, 2, 3])), 1)
  assert.equal(processQueue.put(batchAt([2, 3])), 0)
  const taken = processQueue.take(10, ReceivedMessage)
  assert.deepEqual(
    taken.map(message => message.queueOffset),
    [0, 1, 2, 3],
  )
})

test('the bytes of a pull count until its last message is finished', () => {
  const { processQueue, ledger } = newQueue()
  const batch = batchAt([0, 1])
  const { bytes } = batch
  processQueue.put(batch)
  assert.equal(ledger.bytes, bytes)
  const [first, second] = processQueue.take(2, ReceivedMessage)
  processQueue.finish(second!)
  assert.equal(ledger.bytes, bytes)
  processQueue.finish(first!)
  assert.equal(ledger.bytes, 0)
  assert.equal(batch.body.length, 0, 'the batch lets the bytes go')
  assert.equal(first!.text(), 'body', 'a message that is kept does not')
})

test('a dropped queue that is cleared finishes nothing and gives its bytes back', () => {
  const { processQueue, ledger } = newQueue()
  processQueue.put(batchAt([5, 6, 7]))
  const taken = processQueue.takeOne(ReceivedMessage)
  processQueue.clear()
  assert.equal(processQueue.contains(taken!), false)
  assert.equal(processQueue.finish(taken!), false)
  assert.equal(ledger.bytes, 0)
  assert.equal(processQueue.hasAvailable, false)
})

test('a draining queue tells when its last handler is done', () => {
  const { processQueue } = newQueue()
  processQueue.put(batchAt([0, 1, 2]))
  const [first, second] = processQueue.take(2, ReceivedMessage)
  let drained = 0
  processQueue.isDraining = true
  processQueue.onDrained = () => drained++
  processQueue.finish(second!)
  assert.equal(drained, 0)
  processQueue.finish(first!)
  assert.equal(drained, 1)
})
