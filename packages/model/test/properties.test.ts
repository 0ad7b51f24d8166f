import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeProperties, encodeProperties, findProperty, removeProperty } from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'
import fc from 'fast-check'
import { assertKinds, goldenVectors, type Vector } from './golden.ts'

interface PropertiesVector extends Vector {
  readonly hex: string
  readonly map: Record<string, string | null>
}

/** Text in which entries, separators and well-known names collide often. */
const oddText = fc
  .array(fc.constantFrom('\u0001', '\u0002', 'A', 'B', 'TAGS', 'x', 'é', ''), { maxLength: 20 })
  .map(parts => parts.join(''))

describe('properties', () => {
  test('all kinds of golden vectors are known', () => {
    assertKinds('properties.json', ['encode', 'decode', 'crc'])
  })

  for (const vector of goldenVectors<PropertiesVector>('properties.json', 'encode')) {
    test(`${vector.name} encodes as Java does`, () => {
      const text = encodeProperties(vector.map as Record<string, string>)
      assert.equal(Buffer.from(text).toString('hex'), vector.hex)
    })
  }

  for (const vector of goldenVectors<PropertiesVector>('properties.json', 'decode')) {
    test(`${vector.name} decodes as Java does`, () => {
      const text = Buffer.from(vector.hex, 'hex').toString('utf8')
      assert.deepEqual(Object.fromEntries(decodeProperties(text)), vector.map)
      for (const [name, value] of Object.entries(vector.map)) assert.equal(findProperty(text, name), value)
    })
  }

  test('maps come back, whatever they hold', () => {
    const part = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter(text => !text.includes('\u0001') && !text.includes('\u0002'))
    fc.assert(
      fc.property(fc.dictionary(part, part), properties => {
        assert.deepEqual(decodeProperties(encodeProperties(properties)), new Map(Object.entries(properties)))
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  test('finding one property is equal to decoding all', () => {
    fc.assert(
      fc.property(oddText, fc.constantFrom('A', 'B', 'TAGS', 'AB', 'x', 'é', 'AA', ''), (text, name) => {
        assert.equal(findProperty(text, name), decodeProperties(text).get(name))
      }),
      { seed: 2, numRuns: 5000 },
    )
  })

  test('removing one property leaves the others as they were', () => {
    fc.assert(
      fc.property(oddText, text => {
        const expected = decodeProperties(text)
        expected.delete('TAGS')
        const removed = removeProperty(text, 'TAGS')
        assert.equal(findProperty(removed, 'TAGS'), undefined)
        // An entry without a separator may lend itself to what follows; texts without such entries are exact.
        if (text.split('\u0002').every(entry => entry === '' || entry.includes('\u0001'))) {
          assert.deepEqual(decodeProperties(removed), expected)
        }
      }),
      { seed: 3, numRuns: 5000 },
    )
  })

  test('names and values that would change the meaning of the text are refused', () => {
    const isRefused = (error: unknown) => RocketMqError.is(error) && error.code === 'INVALID_ARGUMENT'
    assert.throws(() => encodeProperties({ 'a\u0001': 'b' }), isRefused)
    assert.throws(() => encodeProperties({ 'a\u0002': 'b' }), isRefused)
    assert.throws(() => encodeProperties([['a', 'b\u0002c']]), isRefused)
    assert.equal(encodeProperties([['a', 'b\u0001c']]), 'a\u0001b\u0001c\u0002')
  })
})
