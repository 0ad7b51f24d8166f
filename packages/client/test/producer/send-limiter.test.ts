import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SendLimiter } from '../../dist/producer/send-limiter.js'

class Waiter {
  isWaiting = true
  admitted = 0
  readonly weight: number
  readonly order: Waiter[]

  constructor(weight: number, order: Waiter[]) {
    this.weight = weight
    this.order = order
  }

  onAdmitted(): void {
    this.isWaiting = false
    this.admitted++
    this.order.push(this)
  }
}

test('both bounds hold, everybody is admitted once and in order, and nobody waits without reason', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('send' as const), weight: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ kind: fc.constantFrom('finish' as const, 'leave' as const), weight: fc.nat(1000) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), steps => {
      const limiter = new SendLimiter({ messagesMax: 3, bytesMax: 100, waitingMax: 1000 })
      const order: Waiter[] = []
      const arrived: Waiter[] = []
      const inFlight: Waiter[] = []
      for (const { kind, weight } of steps) {
        if (kind === 'send') {
          const waiter = new Waiter(weight, order)
          arrived.push(waiter)
          if (limiter.tryAcquire(weight)) waiter.onAdmitted()
          else limiter.wait(waiter)
        } else if (kind === 'finish' && inFlight.length > 0) {
          limiter.release(inFlight.splice(weight % inFlight.length, 1)[0]!.weight)
        } else if (kind === 'leave') {
          const waiting = arrived.filter(waiter => waiter.isWaiting)
          if (waiting.length === 0) continue
          const leaver = waiting[weight % waiting.length]!
          leaver.isWaiting = false
          arrived.splice(arrived.indexOf(leaver), 1)
          limiter.leave()
        }
        inFlight.push(...order.splice(0))
        const bytes = inFlight.reduce((sum, waiter) => sum + waiter.weight, 0)
        assert.equal(limiter.inFlightMessages, inFlight.length)
        assert.equal(limiter.inFlightBytes, bytes)
        assert.ok(inFlight.length <= 3)
        assert.ok(bytes <= 100)
        const admitted = arrived.filter(waiter => waiter.admitted > 0)
        assert.deepEqual(arrived.slice(0, admitted.length), admitted, 'first come, first admitted')
        assert.ok(arrived.every(waiter => waiter.admitted <= 1))
        const next = arrived.find(waiter => waiter.isWaiting)
        if (next) assert.ok(inFlight.length === 3 || bytes + next.weight > 100, 'the next in line does not fit')
        assert.equal(limiter.waitingMessages, arrived.filter(waiter => waiter.isWaiting).length)
      }
    }),
  )
})

test('a waiter that fails at once on admission lets the next one in, without recursion', () => {
  const limiter = new SendLimiter({ messagesMax: 1, bytesMax: 100, waitingMax: 100_000 })
  assert.equal(limiter.tryAcquire(1), true)
  let failed = 0
  for (let i = 0; i < 50_000; i++) {
    const waiter = {
      weight: 1,
      isWaiting: true,
      onAdmitted() {
        this.isWaiting = false
        failed++
        limiter.release(1)
      },
    }
    limiter.wait(waiter)
  }
  limiter.release(1)
  assert.equal(failed, 50_000)
  assert.equal(limiter.inFlightMessages, 0)
  assert.equal(limiter.waitingMessages, 0)
})
