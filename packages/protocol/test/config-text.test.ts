import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { editConfigText, formatConfigText, parseConfigText } from '@rocketmq-ts/protocol'
import fc from 'fast-check'

describe('text of a configuration file', () => {
  const cases: [string, Record<string, string>][] = [
    ['a=1\nb = 2 \r\nc:3\nd 4\ne', { a: '1', b: '2 ', c: '3', d: '4', e: '' }],
    ['# a=1\n! b=2\n\n  c = 3', { c: '3' }],
    ['a=1\\\n  2\nb=x\\\\\nc=3', { a: '12', b: 'x\\', c: '3' }],
    ['a\\=b=\\u0041\\t\\n\\z', { 'a=b': 'A\t\nz' }],
    ['a=1\na=2', { a: '2' }],
    ['path=C:\\\\store', { path: 'C:\\store' }],
    ['broken=\\u00', { broken: 'u00' }],
    ['end=1\\', { end: '1' }],
    ['', {}],
    ['  d\t=\t4 ', { d: '4 ' }],
    ['c=3 # kept', { c: '3 # kept' }],
    ['a=1\\\n#2', { a: '1#2' }],
    ['=c', { '': 'c' }],
  ]
  for (const [text, expected] of cases) {
    test(`${JSON.stringify(text)} reads as ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(Object.fromEntries(parseConfigText(text)), expected)
    })
  }

  test('of an answer is sorted by key and without escapes', () => {
    assert.equal(
      formatConfigText([
        ['b', 'x\\y'],
        ['a', '1'],
      ]),
      'a=1\nb=x\\y\n',
    )
  })

  test('is edited where a key stands, and nowhere else', () => {
    const text = '# ports\nlistenPort = 1\n\nlong = a\\\n  b\nother: 2\n'
    const edited = editConfigText(
      text,
      new Map([
        ['long', 'c'],
        ['new', 'd'],
      ]),
    )
    assert.equal(edited, '# ports\nlistenPort = 1\n\nlong=c\nother: 2\nnew=d\n')
    assert.equal(editConfigText('', new Map()), '')
    assert.equal(editConfigText(text, new Map()), text)
  })

  test('says after an edit what was put in, whatever it was', () => {
    const words = fc.string({ unit: 'binary', maxLength: 10 })
    const maps = fc.dictionary(
      words.filter(key => key !== ''),
      words,
      { noNullPrototype: true },
    )
    fc.assert(
      fc.property(words, maps, (text, changes) => {
        const before = parseConfigText(text)
        const after = parseConfigText(editConfigText(text, new Map(Object.entries(changes))))
        assert.deepEqual(after, new Map([...before, ...Object.entries(changes)]))
      }),
      { numRuns: 500 },
    )
  })
})
