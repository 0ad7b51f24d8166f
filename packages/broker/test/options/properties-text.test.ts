import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatProperties, parseProperties } from '../../dist/options/properties-text.js'

const parse = (text: string) => Object.fromEntries(parseProperties(text))

test('separators are =, : and blank, and blanks around them do not count', () => {
  assert.deepEqual(parse('a=1\nb : 2\nc 3\n  d\t=\t4 '), { a: '1', b: '2', c: '3', d: '4 ' })
})

test('lines that begin with # or ! are comments, empty lines are nothing', () => {
  assert.deepEqual(parse('# a=1\n  ! b=2\n\n\r\nc=3 # kept'), { c: '3 # kept' })
})

test('a backslash continues a line and swallows the blanks before the next', () => {
  assert.deepEqual(parse('a=one,\\\n   two\nb=c:\\\\d\n'), { a: 'one,two', b: 'c:\\d' })
})

test('a comment mark on a continued line belongs to the value', () => {
  assert.deepEqual(parse('a=1\\\n#2'), { a: '1#2' })
})

test('escapes stand for their characters, also in keys', () => {
  assert.deepEqual(parse('a\\=b=\\u0041\\t\\n\\x'), { 'a=b': 'A\t\nx' })
})

test('a key alone has an empty value, and of equal keys the last one wins', () => {
  assert.deepEqual(parse('a\nb=1\nb=2\n=c'), { a: '', b: '2', '': 'c' })
})

test('what is printed reads back, for text without characters that need an escape', () => {
  const key = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]*$/)
  const value = fc.stringMatching(/^[!-[\]-~][ -[\]-~]*$/).filter(text => !/^[=:]/.test(text))
  fc.assert(
    fc.property(fc.dictionary(key, value), entries => {
      assert.deepEqual({ ...parse(formatProperties(Object.entries(entries))) }, { ...entries })
    }),
  )
})

test('any text is read without an error', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('\\', 'u', '0', '=', ':', ' ', '\n', '\r', '#', 'a') }), text => {
      parseProperties(text)
    }),
  )
})
