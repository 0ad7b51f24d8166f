import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  JavaDouble,
  JSON_DEPTH_LIMIT,
  JsonMap,
  OneLineArray,
  parseLenient,
  stringifyFastjson,
  stringifyFastjsonPretty,
  stringifyStrictRoute,
} from '@rocketmq-ts/protocol'
import { RocketMqError, seededRandom } from '@rocketmq-ts/runtime'
import fc from 'fast-check'
import { goldenVectors } from './golden.ts'

interface BodyVector {
  readonly name: string
  readonly text?: string
  readonly decoded: unknown
  readonly strictJson?: boolean
}

/** The golden files' plain view of a parsed value. */
function normalised(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(normalised)
  if (value instanceof JsonMap)
    return { $pairs: value.$pairs.map(([key, item]) => [normalised(key), normalised(item)]) }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normalised(item)]))
  }
  return value
}

function isBodyInvalid(error: unknown): boolean {
  return RocketMqError.is(error) && error.code === 'BODY_INVALID'
}

describe('reading fastjson', () => {
  for (const vector of goldenVectors<BodyVector>('bodies.json')) {
    const { text } = vector
    if (text === undefined || text === '' || vector.name === 'fastjson_ref') continue
    test(`the body ${vector.name} reads as Java meant it, both fast and by the dialect's parser`, () => {
      assert.deepEqual(normalised(parseLenient(text)), vector.decoded)
      // A comment keeps the built-in parser out.
      assert.deepEqual(normalised(parseLenient(`/**/${text}`)), vector.decoded)
      assert.deepEqual(normalised(parseLenient(Buffer.from(text, 'utf8'))), vector.decoded)
    })
  }

  test('a back reference is replaced by what it names', () => {
    const vector = goldenVectors<BodyVector>('bodies.json').find(({ name }) => name === 'fastjson_ref')
    const value = parseLenient(vector!.text!) as { topicConfigTable: Record<string, { attributes: unknown }> }
    assert.deepEqual(value.topicConfigTable.TopicA!.attributes, { 'message.type': 'FIFO' })
    assert.equal(value.topicConfigTable.TopicA!.attributes, value.topicConfigTable.TopicB!.attributes)
  })

  test('a reference may lead through escaped names, array places, and other references', () => {
    const text =
      '{"a":{"%x.y":[1,{"z":7}]},"b":{"$ref":"$.a"},"c":{"$ref":"$.b.\\\\%x\\\\.y[1].z"},"d":{"$ref":"$.a.\\\\%x\\\\.y"}}'
    const value = parseLenient(text) as Record<string, unknown>
    assert.equal(value.b, value.a)
    assert.equal(value.c, 7)
    assert.deepEqual(value.d, [1, { z: 7 }])
  })

  test('a path that Java wrote for a name full of special characters leads to it', () => {
    const name = '%RETRY%a.b-c[0] "é中\\'
    const path = '$.a.\\%RETRY\\%a\\.b\\-c\\[0\\]\\ \\"é中\\\\'
    const text = `{"a":{${JSON.stringify(name)}:{"k":1}},"b":{"$ref":${JSON.stringify(path)}},"im":{5:{}},"im2":{"$ref":"$.im[5]"}}`
    const value = parseLenient(text) as Record<string, Record<string, unknown>>
    assert.equal(value.b, Object.values(value.a!)[0])
    assert.equal(value.im2, value.im!['5'])
  })

  test('a reference in a value that is referenced from an earlier place is replaced as well', () => {
    const value = parseLenient('{"a":{"$ref":"$.b"},"b":{"c":{"$ref":"$.d"}},"d":[1]}')
    assert.deepEqual(value, { a: { c: [1] }, b: { c: [1] }, d: [1] })
  })

  for (const [what, text] of [
    ['to an enclosing value', '{"a":{"b":{"$ref":"$.a"}}}'],
    ['to the root', '{"a":{"$ref":"$"}}'],
    ['to the parent', '{"a":{"$ref":".."}}'],
    ['to itself', '{"a":{"$ref":"@"}}'],
    ['to each other', '{"a":{"$ref":"$.b"},"b":{"$ref":"$.a"}}'],
    ['through itself', '{"a":{"$ref":"$.a.b"}}'],
    ['to nothing', '{"a":{"$ref":"$.nothing"}}'],
    ['into a scalar', '{"a":1,"b":{"$ref":"$.a.c"}}'],
    ['in a wrong form', '{"a":{"$ref":"nonsense"}}'],
  ] as const) {
    test(`a reference ${what} is refused`, () => {
      assert.throws(() => parseLenient(text), isBodyInvalid)
    })
  }

  test('references that stand for more values than memory holds are refused', () => {
    const levels = Array.from({ length: 60 }, (_, i) =>
      i === 0 ? '"l0":[1,1]' : `"l${i}":[{"$ref":"$.l${i - 1}"},{"$ref":"$.l${i - 1}"}]`,
    )
    assert.throws(() => parseLenient(`{${levels.join(',')}}`), isBodyInvalid)
  })

  test('a long chain of references is refused rather than exhausting the stack', () => {
    const count = 20_000
    const parts = Array.from({ length: count }, (_, i) => `"l${i}":[{"$ref":"$.l${i + 1}"}]`)
    assert.throws(() => parseLenient(`{${parts.join(',')},"l${count}":[]}`), isBodyInvalid)
  })

  test('what only fastjson accepts is read', () => {
    const text = `\ufeff{ a: 1, 'b': 'it\\'s "so"', "c":[1,,2,], 7:{x:true,}, -3:null, /* note */ d:+NaN_ }`
    assert.throws(() => parseLenient(text), isBodyInvalid)
    assert.deepEqual(parseLenient(text.replace('+NaN_', 'NaN')), {
      a: 1,
      b: 'it\'s "so"',
      c: [1, 2],
      7: { x: true },
      '-3': null,
      d: null,
    })
    assert.deepEqual(parseLenient('{"a":5L,"b":1.5D,"c":\'\\x41\\u00e9\\v\\0\'}'), { a: 5, b: 1.5, c: 'Aé\v\0' })
    assert.deepEqual(parseLenient('// all\n[.5,-1e3,1E+2,+7]'), [0.5, -1000, 100, 7])
    assert.deepEqual(parseLenient('[+9007199254740993]'), [9007199254740993n])
  })

  test('raw line breaks in a string are kept', () => {
    assert.deepEqual(parseLenient('{"jstack":"goroutine 1\n\tmain.go:7"}'), { jstack: 'goroutine 1\n\tmain.go:7' })
  })

  test('integers are exact: numbers up to 2^53 - 1, bigint beyond', () => {
    assert.deepEqual(parseLenient('[9007199254740991,9007199254740992,-9007199254740993,9223372036854775807,1.0E17]'), [
      9007199254740991,
      9007199254740992n,
      -9007199254740993n,
      9223372036854775807n,
      1e17,
    ])
  })

  test('a name __proto__ is a name like others', () => {
    for (const text of ['{"__proto__":{"x":1}}', '{__proto__:{x:1}}']) {
      const value = parseLenient(text) as object
      assert.deepEqual(Object.keys(value), ['__proto__'])
      assert.equal(Object.getPrototypeOf(value), Object.prototype)
    }
  })

  test('nesting up to the limit is read and one more is refused, in both parsers', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    assert.doesNotThrow(() => parseLenient(nested(JSON_DEPTH_LIMIT)))
    assert.doesNotThrow(() => parseLenient(`/**/${nested(JSON_DEPTH_LIMIT)}`))
    assert.throws(() => parseLenient(nested(JSON_DEPTH_LIMIT + 1)), isBodyInvalid)
    assert.throws(() => parseLenient(nested(1_000_000)), isBodyInvalid)
    assert.throws(() => parseLenient('{"a":'.repeat(100_000)), isBodyInvalid)
    assert.throws(() => parseLenient('{'.repeat(100_000)), isBodyInvalid)
  })

  test('brackets in strings do not count as nesting', () => {
    assert.deepEqual(parseLenient(JSON.stringify(['['.repeat(1000)])), ['['.repeat(1000)])
  })

  test('a text over the size limit is refused before it is looked at', () => {
    assert.throws(() => parseLenient('[1,2,3]', 6), isBodyInvalid)
    assert.deepEqual(parseLenient('[1,2,3]', 7), [1, 2, 3])
  })

  test('an error names the place', () => {
    assert.throws(
      () => parseLenient('{"a":1,"b":}'),
      (error: unknown) => RocketMqError.is(error) && /character 11: unexpected "}"/.test(error.message),
    )
    for (const text of [
      '',
      '  ',
      '{',
      '[',
      '{"a"',
      '{"a":',
      '"abc',
      "'abc",
      '{"a":1}x',
      '/*',
      '/x',
      'nul',
      '\\',
      '{1',
      '[1 2]',
      '"\\u12"',
      '"\\q"',
      '-',
      '{,:1}',
    ]) {
      assert.throws(() => parseLenient(text), isBodyInvalid, text)
    }
  })

  test('any bytes give a value or BODY_INVALID', () => {
    const random = seededRandom(20240611)
    const texts = goldenVectors<BodyVector>('bodies.json').map(({ text }) => text ?? '')
    for (let round = 0; round < 4000; round++) {
      const bytes = Buffer.from(texts[random.int(texts.length)]!, 'utf8')
      const edits = 1 + random.int(6)
      for (let i = 0; i < edits && bytes.length > 0; i++) {
        bytes[random.int(bytes.length)] =
          random.int(2) === 0 ? random.int(256) : '{}[],:"\'\\-0/$n'.charCodeAt(random.int(14))
      }
      const cut = random.int(4) === 0 ? bytes.subarray(0, random.int(bytes.length + 1)) : bytes
      try {
        parseLenient(cut)
      } catch (error) {
        assert.ok(isBodyInvalid(error), `round ${round}: ${String(error)}`)
      }
    }
  })

  test('whatever JSON.stringify writes is read as by JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = JSON.stringify(value)
        const expected = JSON.parse(text) as unknown
        assert.deepEqual(numbersOf(parseLenient(`/**/${text}`)), expected)
        assert.deepEqual(numbersOf(parseLenient(text)), expected)
      }),
      { seed: 7, numRuns: 300 },
    )
  })
})

/** Bigints as the numbers that JSON.parse makes of them. */
function numbersOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(numbersOf)
  if (typeof value === 'object' && value !== null) {
    const result: Record<string, unknown> = {}
    for (const [key, item] of Object.entries(value)) {
      Object.defineProperty(result, key, {
        value: numbersOf(item),
        enumerable: true,
        writable: true,
        configurable: true,
      })
    }
    return result
  }
  return value
}

describe('writing fastjson', () => {
  test('names are sorted, absent values left out, numbers and objects as names unquoted', () => {
    const value = {
      b: undefined,
      z: null,
      a: new Map<unknown, unknown>([
        [1, 'x'],
        [0, null],
      ]),
      q: new Map([[{ topic: 'T', queueId: 0 }, 5n]]),
      l: [null, undefined, true],
      s: new Set(['one']),
      bytes: Buffer.from([5, 2]),
    }
    assert.equal(
      stringifyFastjson(value),
      '{"a":{1:"x"},"bytes":"BQI=","l":[null,null,true],"q":{{"queueId":0,"topic":"T"}:5},"s":["one"]}',
    )
  })

  test('control characters are escaped as Java does, other text stays', () => {
    assert.equal(
      stringifyFastjson('\u0001\u001f\b\t\n\u000b\f\r"\\/\u007f\u0085\u00a0é中😀\u2028'),
      '"\\u0001\\u001F\\b\\t\\n\\u000B\\f\\r\\"\\\\/\\u007F\\u0085\u00a0é中😀\\u2028"',
    )
  })

  test('numbers are written as Java writes long and double', () => {
    assert.equal(
      stringifyFastjson([0, -0, 2 ** 53, 2 ** 63, -(2 ** 63), 1e300, 1.5, 0.0001, 12345678.5, Number.NaN, Infinity]),
      '[0,0,9007199254740992,9223372036854775807,-9223372036854775808,9223372036854775807,1.5,1.0E-4,1.23456785E7,null,null]',
    )
  })

  test('doubles are written as Double.toString does', () => {
    const cases: [number, string][] = [
      [0, '0.0'],
      [-0, '-0.0'],
      [1, '1.0'],
      [1e6, '1000000.0'],
      [9999999.5, '9999999.5'],
      [1e7, '1.0E7'],
      [12345678.9, '1.23456789E7'],
      [0.001, '0.001'],
      [0.00123, '0.00123'],
      [0.0001, '1.0E-4'],
      [1 / 3, '0.3333333333333333'],
      [1e21, '1.0E21'],
      [-1e300, '-1.0E300'],
      [1.1e10, '1.1E10'],
      [Number.NaN, 'null'],
    ]
    for (const [value, text] of cases) assert.equal(stringifyFastjson(new JavaDouble(value)), text)
  })

  test('what is written is read back', () => {
    const scalar = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc.boolean(),
      fc.bigInt({ min: 2n ** 60n, max: 2n ** 63n - 1n }),
    )
    const { tree } = fc.letrec<{ tree: unknown }>(tie => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        scalar,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(
          fc.string({ unit: 'binary' }).filter(key => key !== '$ref'),
          tie('tree'),
          { maxKeys: 4 },
        ),
      ),
    }))
    fc.assert(
      fc.property(tree, value => {
        const expected = JSON.stringify(sorted(value))
        assert.equal(JSON.stringify(sorted(parseLenient(stringifyFastjson(value)))), expected)
        assert.equal(JSON.stringify(sorted(parseLenient(stringifyFastjsonPretty(value)))), expected)
      }),
      { seed: 11, numRuns: 300 },
    )
  })

  test("the pretty form is fastjson's, numeric maps and sets on one line, lists and objects not", () => {
    const inner = { a: 'x', el: [], em: {}, im: new Map(), l: ['p'], s: new Set(['u', 'v']) }
    const value = {
      im: new Map<number, unknown>([
        [1, inner],
        [2, 7],
        [3, {}],
      ]),
      l: [{ a: 1 }, 5],
      one: new OneLineArray([1, 1]),
      sm: new Map([['k', 1]]),
      os: new OneLineArray([{ a: 1 }]),
    }
    assert.equal(
      stringifyFastjsonPretty(value),
      [
        '{',
        '\t"im":{1:{',
        '\t\t\t"a":"x",',
        '\t\t\t"el":[],',
        '\t\t\t"em":{},',
        '\t\t\t"im":{},',
        '\t\t\t"l":[',
        '\t\t\t\t"p"',
        '\t\t\t],',
        '\t\t\t"s":["u","v"]',
        '\t\t},2:7,3:{}',
        '\t},',
        '\t"l":[',
        '\t\t{',
        '\t\t\t"a":1',
        '\t\t},',
        '\t\t5',
        '\t],',
        '\t"one":[1,1],',
        '\t"os":[{',
        '\t\t"a":1',
        '\t}],',
        '\t"sm":{',
        '\t\t"k":1',
        '\t}',
        '}',
      ].join('\n'),
    )
  })

  test('the strict form quotes and sorts names, escapes all but ASCII, and writes unsafe integers as text', () => {
    const value = new Map<unknown, unknown>([
      [10, 'é/中'],
      ['a', 2 ** 53],
      [9, 9007199254740993n],
      ['b', 7n],
    ])
    assert.equal(
      stringifyStrictRoute(value),
      '{"9":"9007199254740993","10":"\\u00E9\\/\\u4E2D","a":"9007199254740992","b":7}',
    )
  })
})

/** Equal trees give equal trees: names sorted, bigints as text. */
function sorted(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (Object.is(value, -0)) return 0
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value).sort()
    return names.map(name => [name, sorted((value as Record<string, unknown>)[name])])
  }
  return value
}
