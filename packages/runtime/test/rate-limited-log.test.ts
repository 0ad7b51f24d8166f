import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Logger, RateLimitedLog, silentLogger } from '@rocketmq-ts/runtime'
import { ManualClock } from '@rocketmq-ts/testing'

function recording() {
  const lines: object[] = []
  const logger: Logger = {
    ...silentLogger,
    warn: (fields, message) => lines.push({ level: 'warn', ...fields, message }),
    error: (fields, message) => lines.push({ level: 'error', ...fields, message }),
  }
  return { lines, logger }
}

test('the first line of a key is written, the rest of the period is counted', () => {
  const clock = new ManualClock()
  const { lines, logger } = recording()
  const log = new RateLimitedLog(clock, logger, { periodMs: 1_000 })
  for (let count = 0; count < 5; count++) log.warn('a', { peer: 1 }, 'refused')
  log.error('b', {}, 'other')
  clock.advance(1_000)
  log.warn('a', { peer: 2 }, 'refused')
  clock.advance(1_000)
  log.warn('a', { peer: 3 }, 'refused')
  assert.deepEqual(lines, [
    { level: 'warn', peer: 1, message: 'refused' },
    { level: 'error', message: 'other' },
    { level: 'warn', peer: 2, suppressed: 4, message: 'refused' },
    { level: 'warn', peer: 3, message: 'refused' },
  ])
})

test('no more keys are remembered than told', () => {
  const { lines, logger } = recording()
  const log = new RateLimitedLog(new ManualClock(), logger, { keysMax: 2 })
  for (const key of ['a', 'b', 'c', 'a', 'c']) log.warn(key, {}, key)
  assert.deepEqual(
    lines.map(line => (line as { message: string }).message),
    ['a', 'b', 'c', 'a'],
  )
})
