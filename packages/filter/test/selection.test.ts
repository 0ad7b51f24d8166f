import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compileSelection, verdict } from '@rocketmq-ts/filter'
import { RocketMqError } from '@rocketmq-ts/runtime'
import fc from 'fast-check'

const names = ['no', 'yes', 'unknown', 'failed']

function judge(expression: string, properties: Record<string, string> = {}): string {
  return names[compileSelection(expression).judge(new Map(Object.entries(properties)))]!
}

function assertJudged(properties: Record<string, string>, expected: Record<string, string>): void {
  const found = Object.fromEntries(Object.keys(expected).map(expression => [expression, judge(expression, properties)]))
  assert.deepEqual(found, expected)
}

function refusalOf(expression: string): string {
  try {
    compileSelection(expression)
  } catch (error) {
    assert.ok(RocketMqError.is(error) && error.code === 'INVALID_ARGUMENT', String(error))
    return error.message
  }
  assert.fail(`${expression} is accepted`)
}

describe('what a selection says of a message', () => {
  test('numbers: a text is read as what it is compared with, and one that can not be fails', () => {
    assertJudged(
      { five: '5', half: '0.5', text: 'many', big: '9007199254740993', spaced: ' 5 ', signed: '+5' },
      {
        'five > 4': 'yes',
        'five >= 5.0': 'yes',
        'five < 5': 'no',
        'half > 0.25': 'yes',
        'half > 0': 'failed',
        'text > 1': 'failed',
        'text = 1': 'failed',
        'big = 9007199254740993': 'yes',
        'big = 9007199254740992': 'no',
        'spaced > 1': 'failed',
        'spaced > 1.5': 'yes',
        'signed = 5': 'yes',
        'five = -5': 'no',
        '-5 < five': 'yes',
        'five <= half': 'no',
        'five <> 6': 'yes',
        'five = 2147483648': 'no',
      },
    )
  })

  test('texts: equality, the three text tests and IN; no text is selected by a NOT form neither', () => {
    assertJudged(
      { name: "it's me", empty: '' },
      {
        "name = 'it''s me'": 'yes',
        "name <> 'you'": 'yes',
        "name CONTAINS 's m'": 'yes',
        "name STARTSWITH 'it'": 'yes',
        "name ENDSWITH 'it'": 'no',
        "name NOT CONTAINS 'x'": 'yes',
        "name NOT ENDSWITH 'me'": 'no',
        "absent NOT CONTAINS 'x'": 'no',
        "name CONTAINS ''": 'no',
        "name NOT CONTAINS ''": 'no',
        "name IN ('a', 'it''s me')": 'yes',
        "name NOT IN ('a', 'b')": 'yes',
        "absent NOT IN ('a')": 'unknown',
        "empty = ''": 'yes',
      },
    )
  })

  test('truth has three values', () => {
    assertJudged(
      { a: '1', text: 'many' },
      {
        'absent = 1': 'unknown',
        'absent > 1': 'unknown',
        'NOT (absent > 1)': 'unknown',
        'absent > 1 OR a = 1': 'yes',
        'absent > 1 OR a = 2': 'unknown',
        'absent > 1 AND a = 2': 'no',
        'absent > 1 AND a = 1': 'unknown',
        'absent IS NULL': 'yes',
        'a IS NOT NULL': 'yes',
        'absent = missing': 'yes',
        'a = missing': 'no',
        'missing = a': 'unknown',
        a: 'no',
        absent: 'unknown',
        'TRUE AND NULL': 'unknown',
        'a = 2 AND text > 1': 'no',
        'text > 1 AND a = 2': 'failed',
        'a = 1 OR text > 1': 'yes',
      },
    )
  })

  test('BETWEEN holds its borders, NOT BETWEEN is all outside', () => {
    assertJudged(
      { a: '5' },
      {
        'a BETWEEN 5 AND 6': 'yes',
        'a BETWEEN 1 AND 4': 'no',
        'a NOT BETWEEN 1 AND 4': 'yes',
        'a NOT BETWEEN 5 AND 5': 'no',
        'absent BETWEEN 1 AND 2': 'unknown',
        'a BETWEEN -5 AND -10': 'no',
      },
    )
  })

  test('TRUE and FALSE are compared with texts in any letter case', () => {
    assertJudged(
      { on: 'True' },
      { 'on = TRUE': 'yes', 'on = false': 'no', 'on <> FALSE': 'yes', '(1 > 0) = TRUE': 'yes' },
    )
  })

  test('words may be in any letter case, names and texts may not', () => {
    assertJudged(
      { Name: 'X' },
      { "Name is not null and Name In ('X')": 'yes', "Name = 'x'": 'no', 'name IS NULL': 'yes' },
    )
  })

  test('AND binds closer than OR, NOT closer than both; brackets decide', () => {
    assertJudged(
      { a: '1' },
      { 'TRUE OR TRUE AND FALSE': 'yes', '(TRUE OR TRUE) AND FALSE': 'no', 'NOT FALSE AND FALSE': 'no' },
    )
  })

  test('what follows a whole expression is not looked at, but for its first token', () => {
    assertJudged({ a: '1' }, { 'a = 1 b ? c': 'yes', 'a = 1 ) (': 'yes', 'a = 1 -- c\n AND a = 2': 'no' })
    assert.match(refusalOf('a = 1 ? b'), /"\?" at column 7/)
  })

  test('a map of names as they come from any source', () => {
    const selection = compileSelection('a > 1')
    assert.equal(selection.expression, 'a > 1')
    assert.ok(selection.matches({ get: name => (name === 'a' ? '2' : undefined) }))
    assert.ok(!selection.matches(new Map()))
    assert.equal(selection.judge(new Map()), verdict.unknown)
  })
})

describe('what is refused', () => {
  const refused: Record<string, RegExp> = {
    '': /the expression ends at column 1/,
    'a >': /the expression ends at column 4/,
    "a > 'x'": /'x' can not be compared by </,
    'NOT a > 1': /a condition can not be compared/,
    'a < TRUE': /can not be compared by </,
    'a = NULL': /use IS NULL/,
    "TRUE = 'x'": /TRUE can not be compared with 'x'/,
    'a BETWEEN 5 AND 1': /the first must not be greater/,
    'a IN (1)': /a text in single quotes is expected/,
    'a IN ()': /a text in single quotes is expected/,
    "5 IN ('a')": /IN needs a property/,
    "'x'": /is neither true nor false/,
    '5 AND TRUE': /5 is neither true nor false/,
    "a = 'x": /no closing quote/,
    'a = 9223372036854775808': /is greater than/,
    'a = 1e400': /is greater than/,
    'a = 0.0': /write 0 for zero/,
    'a NOT 5': /BETWEEN, IN, CONTAINS/,
    'a IS 5': /where NULL is expected/,
    'a == 1': /"=" stands at column 4/,
  }
  for (const [expression, message] of Object.entries(refused)) {
    test(`${JSON.stringify(expression)}, with the place or the reason`, () => {
      assert.match(refusalOf(expression), message)
    })
  }

  test('nesting beyond 500, before the stack ends', () => {
    const nested = (depth: number) => `${'('.repeat(depth)}a = 1${')'.repeat(depth)}`
    assert.equal(judge(nested(490), { a: '1' }), 'yes')
    assert.match(refusalOf(nested(501)), /nested more than 500 deep/)
    assert.match(refusalOf('-'.repeat(100_000)), /nested/)
    assert.match(refusalOf('NOT '.repeat(100_000)), /nested/)
  })
})

test('a chain of many thousand terms is read and asked without recursion', () => {
  const many = Array.from({ length: 50_000 }, (_, i) => `a = ${i}`).join(' OR ')
  assert.equal(judge(many, { a: '49999' }), 'yes')
  assert.equal(judge(many, { a: '50000' }), 'no')
})

test('any text is either compiled or refused with INVALID_ARGUMENT, and what is compiled always gives a verdict', () => {
  const word = fc.constantFrom(
    'a',
    'b',
    'NOT',
    'AND',
    'OR',
    '=',
    '<',
    '(',
    ')',
    "'x'",
    '5',
    '2.5',
    'IS',
    'NULL',
    'IN',
    '-',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(word, { maxLength: 12 }).map(words => words.join(' ')),
  )
  fc.assert(
    fc.property(text, fc.dictionary(fc.constantFrom('a', 'b'), fc.string()), (expression, properties) => {
      try {
        const value = compileSelection(expression).judge(new Map(Object.entries(properties)))
        assert.ok(value >= 0 && value <= 3)
      } catch (error) {
        assert.ok(RocketMqError.is(error) && error.code === 'INVALID_ARGUMENT', String(error))
      }
    }),
    { numRuns: 2000 },
  )
})

test('NOT, AND and OR obey the laws of three-valued logic', () => {
  const atom = fc.constantFrom('a = 1', 'a = 2', 'absent = 1', 'b = 1', 'TRUE', 'NULL')
  const properties = { a: '1', b: '2' }
  fc.assert(
    fc.property(atom, atom, (x, y) => {
      assert.equal(judge(`NOT (${x} AND ${y})`, properties), judge(`(NOT (${x})) OR (NOT (${y}))`, properties))
      assert.equal(judge(`NOT (${x} OR ${y})`, properties), judge(`(NOT (${x})) AND (NOT (${y}))`, properties))
      assert.equal(judge(`${x} AND ${y}`, properties), judge(`${y} AND ${x}`, properties))
      assert.equal(judge(`NOT (NOT (${x}))`, properties), judge(x, properties))
    }),
  )
})
