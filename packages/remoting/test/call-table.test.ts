import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RemotingCommand } from '@rocketmq-ts/protocol'
import { CallTable, PendingCall } from '@rocketmq-ts/remoting/internal'
import { type RocketMqError, systemClock, TimingWheel } from '@rocketmq-ts/runtime'
import fc from 'fast-check'

class Call extends PendingCall {
  failed: RocketMqError | undefined
  override onResponse(_response: RemotingCommand): void {}
  override onFailure(error: RocketMqError): void {
    this.failed = error
  }
}
const owner = { expireCall() {}, cancelCall: () => false }

function addTo(table: CallTable): Call {
  const call = new Call()
  call.opaque = table.nextOpaque()
  table.add(call, 60_000, owner)
  return call
}

test('the table behaves as a map from numbers to calls, whichever order answers come in', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant('add' as const), fc.nat(1000)), { maxLength: 600 }), steps => {
      const wheel = new TimingWheel(systemClock)
      const table = new CallTable(wheel)
      const oracle = new Map<number, Call>()
      for (const step of steps) {
        if (step === 'add') {
          const call = addTo(table)
          assert.equal(oracle.has(call.opaque), false)
          oracle.set(call.opaque, call)
          continue
        }
        const opaque = oracle.size === 0 ? step : [...oracle.keys()][step % oracle.size]!
        assert.equal(table.take(opaque), oracle.get(opaque))
        oracle.delete(opaque)
        assert.equal(table.take(opaque), undefined)
      }
      assert.equal(table.size, oracle.size)
      assert.equal(wheel.size, oracle.size)
      wheel.clear()
    }),
  )
})

test('a call that waits for long is passed over by the numbers of later ones', () => {
  const wheel = new TimingWheel(systemClock)
  const table = new CallTable(wheel)
  const patient = addTo(table)
  for (let i = 0; i < 1000; i++) {
    const call = addTo(table)
    assert.notEqual(call.opaque, patient.opaque)
    assert.equal(table.take(call.opaque), call)
  }
  assert.equal(table.take(patient.opaque), patient)
  wheel.clear()
})

test('numbers that nobody has, negative ones included, are answers to nothing', () => {
  const wheel = new TimingWheel(systemClock)
  const table = new CallTable(wheel)
  const call = addTo(table)
  for (const opaque of [0, -1, call.opaque + 64, -0x80000000, 0x7fffffff]) assert.equal(table.take(opaque), undefined)
  assert.equal(table.size, 1)
  wheel.clear()
})

test('taking out all calls takes each once, and spares those added afterwards', () => {
  const wheel = new TimingWheel(systemClock)
  const table = new CallTable(wheel)
  const calls = Array.from({ length: 200 }, () => addTo(table))
  const taken = table.takeAll()
  const late = addTo(table)
  assert.deepEqual(
    taken.map(call => call.opaque).sort((a, b) => a - b),
    calls.map(call => call.opaque),
  )
  assert.equal(table.size, 1)
  assert.equal(wheel.size, 1)
  assert.equal(table.take(late.opaque), late)
})
