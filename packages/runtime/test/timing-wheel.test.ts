import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TimingWheel, TimingWheelEntry } from '@rocketmq-ts/runtime'
import { ManualClock } from '@rocketmq-ts/testing'
import fc from 'fast-check'

class Entry extends TimingWheelEntry {
  readonly #callback: () => void

  constructor(callback: () => void) {
    super()
    this.#callback = callback
  }

  override onTimeout(): void {
    this.#callback()
  }
}

test('a deadline is never early and at most one tick late, whatever else is scheduled and cancelled', () => {
  const operation = fc.record({
    wait: fc.integer({ min: 0, max: 90 }),
    delay: fc.integer({ min: 0, max: 3_000 }),
    cancelled: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 80 }), operations => {
      const clock = new ManualClock()
      const wheel = new TimingWheel(clock, { tickMs: 10, slots: 16 })
      const late: number[] = []
      let expected = 0
      let previous: Entry | undefined
      for (const { wait, delay, cancelled } of operations) {
        clock.advance(wait)
        const deadline = clock.monotonic() + delay
        const entry = new Entry(() => late.push(clock.monotonic() - deadline))
        wheel.schedule(delay, entry)
        expected++
        if (cancelled && previous !== undefined && previous.wheelNext !== undefined) {
          wheel.cancel(previous)
          wheel.cancel(previous)
          expected--
        }
        previous = entry
      }
      clock.advance(5_000)
      assert.equal(late.length, expected)
      for (const ms of late) assert.ok(ms >= 0 && ms <= 10, `${ms} ms late`)
      assert.equal(wheel.size, 0)
      assert.equal(clock.pendingCount, 0)
    }),
  )
})

test('an entry may schedule itself again and cancel others that are due in the same tick', () => {
  const clock = new ManualClock()
  const wheel = new TimingWheel(clock, { tickMs: 10, slots: 4 })
  const seen: string[] = []
  const second = new Entry(() => seen.push('second'))
  const first = new Entry(() => {
    seen.push(`first at ${clock.monotonic()}`)
    wheel.cancel(second)
    if (seen.length < 3) wheel.schedule(20, first)
  })
  wheel.schedule(5, first)
  wheel.schedule(5, second)
  clock.advance(200)
  assert.deepEqual(seen, ['first at 10', 'first at 30', 'first at 50'])
})

test('after the event loop was blocked, input is handled before late deadlines are called', async () => {
  const clock = new ManualClock()
  const wheel = new TimingWheel(clock, { tickMs: 10, slots: 4 })
  let called = false
  const entry = new Entry(() => {
    called = true
  })
  wheel.schedule(50, entry)
  clock.jump(1_000)
  assert.equal(called, false)
  // What a readable socket would do in between.
  wheel.cancel(entry)
  await new Promise<void>(resolve => setImmediate(resolve))
  assert.equal(called, false)
  wheel.schedule(50, entry)
  clock.jump(1_000)
  await new Promise<void>(resolve => setImmediate(resolve))
  assert.equal(called, true)
})

test('an entry is scheduled once at a time', () => {
  const wheel = new TimingWheel(new ManualClock())
  const entry = new Entry(() => {})
  wheel.schedule(10, entry)
  assert.throws(() => wheel.schedule(10, entry), { name: 'AssertionFailure' })
  wheel.clear()
  wheel.schedule(10, entry)
  assert.equal(wheel.size, 1)
  wheel.clear()
})

test('a callback that throws is reported and the others are called all the same', () => {
  const clock = new ManualClock()
  const errors: unknown[] = []
  const wheel = new TimingWheel(clock, { tickMs: 10, slots: 4, onError: error => errors.push(error) })
  let called = 0
  wheel.schedule(
    5,
    new Entry(() => {
      throw new Error('broken')
    }),
  )
  wheel.schedule(5, new Entry(() => called++))
  clock.advance(20)
  assert.equal(errors.length, 1)
  assert.equal(called, 1)
})
