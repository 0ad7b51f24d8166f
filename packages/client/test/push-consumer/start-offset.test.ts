import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConsumeTimestamp, startOffset } from '@rocketmq-ts/client/internal'

const ask = { maxOffset: async () => 77, offsetByTime: async (timestampMs: number) => timestampMs * 10 }
const rules = {
  last: { consumeFromWhere: 'CONSUME_FROM_LAST_OFFSET', timestampMs: 5 },
  first: { consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET', timestampMs: 5 },
  time: { consumeFromWhere: 'CONSUME_FROM_TIMESTAMP', timestampMs: 5 },
} as const

const cases = [
  { rule: 'last', stored: 12, isRetry: false, expected: 12 },
  { rule: 'last', stored: 0, isRetry: false, expected: 0 },
  { rule: 'last', stored: undefined, isRetry: false, expected: 77 },
  { rule: 'last', stored: undefined, isRetry: true, expected: 0 },
  { rule: 'first', stored: 12, isRetry: false, expected: 12 },
  { rule: 'first', stored: undefined, isRetry: false, expected: 0 },
  { rule: 'first', stored: undefined, isRetry: true, expected: 0 },
  { rule: 'time', stored: 12, isRetry: false, expected: 12 },
  { rule: 'time', stored: undefined, isRetry: false, expected: 50 },
  { rule: 'time', stored: undefined, isRetry: true, expected: 77 },
] as const

for (const { rule, stored, isRetry, expected } of cases) {
  const topic = isRetry ? 'retry topic' : 'topic'
  test(`rule ${rule} with stored offset ${stored} begins a ${topic} at ${expected}`, async () => {
    assert.equal(await startOffset(stored, isRetry, rules[rule], ask), expected)
  })
}

test('a question that fails fails the start, so that nothing is skipped', async () => {
  const broken = { ...ask, maxOffset: () => Promise.reject(new Error('no answer')) }
  await assert.rejects(startOffset(undefined, false, rules.last, broken), /no answer/)
})

test('a consume timestamp is read in the local time zone, and refused when it is no time', () => {
  assert.equal(parseConsumeTimestamp('20240229123456'), new Date(2024, 1, 29, 12, 34, 56).getTime())
  for (const text of ['20230229000000', '20241301000000', '2024', '20240101240000', '2024010100000x']) {
    assert.equal(parseConsumeTimestamp(text), undefined, text)
  }
})
