import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock, TurnScheduler } from '@rocketmq-ts/runtime'

const turnEnd = () => new Promise<void>(resolve => setImmediate(() => setImmediate(resolve)))

test('the phases of a turn run once, in order, however often and in whatever order things were registered', async () => {
  const turn = new TurnScheduler(systemClock)
  const seen: string[] = []
  turn.onEnd('flush', () => seen.push('flush'))
  turn.onEnd('wake', () => seen.push('wake'))
  turn.onEnd('write', () => seen.push('write 1'))
  turn.onEnd('write', () => seen.push('write 2'))
  await turnEnd()
  assert.deepEqual(seen, [])
  for (let count = 0; count < 5; count++) turn.schedule()
  await turnEnd()
  assert.deepEqual(seen, ['write 1', 'write 2', 'wake', 'flush'])
})

test('work that a phase makes for a later one is done in the same turn, for an earlier one in the next', async () => {
  const turn = new TurnScheduler(systemClock)
  const seen: string[] = []
  const work = { write: 1, flush: 0 }
  turn.onEnd('write', () => {
    if (work.write-- > 0) {
      seen.push('write')
      work.flush++
      turn.schedule()
    }
  })
  turn.onEnd('flush', () => {
    if (work.flush-- > 0) {
      seen.push('flush')
      if (seen.length < 4) {
        work.write = 1
        turn.schedule()
      }
    }
  })
  turn.schedule()
  await turnEnd()
  await turnEnd()
  assert.deepEqual(seen, ['write', 'flush', 'write', 'flush'])
})

test('a removed callback is not called any more, also when it is removed by an earlier one of the same turn', async () => {
  const turn = new TurnScheduler(systemClock)
  const seen: string[] = []
  const remove = turn.onEnd('flush', () => seen.push('removed'))
  turn.onEnd('write', () => remove())
  turn.schedule()
  await turnEnd()
  assert.deepEqual(seen, [])
})

test('a callback that throws does not keep the others from running', async () => {
  const errors: string[] = []
  const turn = new TurnScheduler(systemClock, (error, phase) => errors.push(`${phase}: ${(error as Error).message}`))
  let flushed = 0
  turn.onEnd('write', () => {
    throw new Error('no disk')
  })
  turn.onEnd('flush', () => flushed++)
  turn.schedule()
  await turnEnd()
  assert.deepEqual(errors, ['write: no disk'])
  assert.equal(flushed, 1)
})
