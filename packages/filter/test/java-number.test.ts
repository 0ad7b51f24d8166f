import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareDoubles, parseJavaDouble, parseJavaNumber } from '@rocketmq-ts/filter/internal'

test('whole numbers: a sign, digits of any script, and the range of their class', () => {
  const longs: Record<string, number | bigint | undefined> = {
    '5': 5,
    '-5': -5,
    '+5': 5,
    '-0': 0,
    '٣': 3,
    '0000000000000000000000012': 12,
    '9007199254740993': 9007199254740993n,
    '9223372036854775807': 9223372036854775807n,
    '-9223372036854775808': -9223372036854775808n,
    '9223372036854775808': undefined,
    '': undefined,
    '-': undefined,
    ' 5': undefined,
    '5.0': undefined,
    '5L': undefined,
  }
  for (const [text, value] of Object.entries(longs)) assert.equal(parseJavaNumber(text, 'long'), value, text)
  assert.equal(parseJavaNumber('2147483647', 'int'), 2147483647)
  assert.equal(parseJavaNumber('2147483648', 'int'), undefined)
  assert.equal(parseJavaNumber('-2147483648', 'int'), -2147483648)
})

test('decimals: exponents, suffixes, blanks around, hexadecimal, and no digits of other scripts', () => {
  const doubles: Record<string, number | undefined> = {
    '1.5': 1.5,
    '5.': 5,
    '.5': 0.5,
    ' 5d\t': 5,
    '5F': 5,
    '1e400': Infinity,
    '-Infinity': -Infinity,
    '+NaN': NaN,
    '0x1.8p1': 3,
    '-0x.8P0f': -0.5,
    '0x10': undefined,
    '5L': undefined,
    '.': undefined,
    '1e': undefined,
    '٣': undefined,
    '': undefined,
    '1_0': undefined,
  }
  for (const [text, value] of Object.entries(doubles)) assert.equal(parseJavaDouble(text), value, text)
})

test('a long text that is nearly a number is refused without going over it again and again', () => {
  assert.equal(parseJavaDouble(`${'1'.repeat(1_000_000)}x`), undefined)
})

test('doubles have a total order: -0 before 0, NaN last and equal to itself', () => {
  const ordered = [-Infinity, -1, -0, 0, 1, Infinity, NaN]
  for (const [i, left] of ordered.entries()) {
    for (const [j, right] of ordered.entries())
      assert.equal(compareDoubles(left, right), Math.sign(i - j), `${left} ${right}`)
  }
})
