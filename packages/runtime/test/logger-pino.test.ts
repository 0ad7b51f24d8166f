import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '@rocketmq-ts/runtime'

test('lines are JSON with level, fields and message, in a file whose directory is made', t => {
  const directory = mkdtempSync(join(tmpdir(), 'rocketmq-log-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const destination = join(directory, 'logs', 'broker.log')
  const logger = createLogger({ level: 'info', destination, name: 'broker-a' })
  logger.debug({}, 'not written')
  logger.child({ part: 'store' }).warn({ offset: 5, error: new Error('torn') }, 'tail cut')
  logger.close()
  const lines = readFileSync(destination, 'utf8').trim().split('\n')
  assert.equal(lines.length, 1)
  const { time, error, ...line } = JSON.parse(lines[0] as string)
  assert.deepEqual(line, { level: 40, name: 'broker-a', part: 'store', offset: 5, msg: 'tail cut' })
  assert.ok(Date.parse(time) > 0)
  assert.equal(error.message, 'torn')
})
