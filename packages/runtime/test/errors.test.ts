import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { errorCodes, RocketMqError } from '@rocketmq-ts/runtime'

test('docs/errors.md lists exactly the codes of the catalogue, with their facts', () => {
  const page = readFileSync(fileURLToPath(new URL('../../../docs/errors.md', import.meta.url)), 'utf8')
  const documented = [...page.matchAll(/^\| `([A-Z_]+)` +\| (yes|no) +\| (.*?) *\|$/gm)].map(match => [
    match[1],
    match[2],
    match[3],
  ])
  const declared = Object.entries(errorCodes).map(([code, { retryable, remedy }]) => [
    code,
    retryable ? 'yes' : 'no',
    remedy,
  ])
  assert.deepEqual(documented, declared)
})

test('an error carries its code, its values and the remedy', () => {
  const error = new RocketMqError('NO_ROUTE', 'topic "orders" is unknown', {
    details: { topic: 'orders' },
    cause: new Error('x'),
  })
  assert.equal(error.message, 'NO_ROUTE: topic "orders" is unknown')
  assert.equal(error.retryable, true)
  assert.deepEqual(error.details, { topic: 'orders' })
  assert.match(error.explain(), /mqadmin updateTopic/)
  assert.ok(RocketMqError.is(error))
  assert.ok(!RocketMqError.is(new Error('plain')))
})
