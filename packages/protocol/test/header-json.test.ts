import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeFrame, encodeFrame, type RemotingCommand, requestCommand } from '@rocketmq-ts/protocol'
import fc from 'fast-check'

function decodeHeaderText(header: string): RemotingCommand {
  const bytes = Buffer.from(header)
  const frame = Buffer.alloc(4 + bytes.length)
  frame.writeInt32BE(bytes.length, 0)
  bytes.copy(frame, 4)
  return decodeFrame(frame, 0, frame.length)
}

function facts(command: RemotingCommand): object {
  const { code, language, version, opaque, flag, remark, extFields } = command
  return { code, language, version, opaque, flag, remark, extFields }
}

/** The oracle: what the general reader makes of the same header; a space in front keeps the short cut away. */
function byGeneralReader(header: string): RemotingCommand {
  return decodeHeaderText(` ${header}`)
}

const texts = fc.string({ unit: 'binary', maxLength: 20 }).map(text => Buffer.from(text).toString())
const headers = fc
  .record({
    code: fc.integer({ min: -5, max: 200100 }),
    extFields: fc.option(
      fc.dictionary(
        texts.filter(text => text !== '__proto__'),
        texts,
        { noNullPrototype: true },
      ),
      { nil: undefined },
    ),
    flag: fc.integer({ min: 0, max: 3 }),
    language: fc.constantFrom('JAVA', 'GO', 'go', 'KOTLIN', 'J\u0041VA', ''),
    opaque: fc.integer({ min: -0x80000000, max: 0x7fffffff }),
    remark: fc.option(texts, { nil: undefined }),
    serializeTypeCurrentRPC: fc.constant('JSON'),
    version: fc.integer({ min: 0, max: 700 }),
  })
  .map(header => JSON.stringify(header))

describe("the short cut through Java's header form", () => {
  test('agrees with the general reader on every header of that form', () => {
    fc.assert(
      fc.property(headers, header => assert.deepEqual(facts(decodeHeaderText(header)), facts(byGeneralReader(header)))),
      { numRuns: 1000 },
    )
  })

  test('agrees with the general reader on damaged headers that still parse', () => {
    const pieces = ['"', '}', '{', ',', '\\', ':', '0', '"flag":', '},"flag":0', ' ']
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom(...pieces)), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(headers, damage, (header, changes) => {
        let text = header
        for (const [where, removed, inserted] of changes) {
          const at = where % text.length
          text = text.slice(0, at) + inserted + text.slice(at + removed)
        }
        let expected: object
        try {
          JSON.parse(text)
          expected = facts(byGeneralReader(text))
        } catch {
          return
        }
        assert.deepEqual(facts(decodeHeaderText(text)), expected)
      }),
      { numRuns: 5000 },
    )
  })

  test('leaves ext fields that are no strings to the general reader', () => {
    const tail = ',"flag":0,"language":"JAVA","opaque":5,"serializeTypeCurrentRPC":"JSON","version":479}'
    const header = `{"code":105,"extFields":{"a":1,"b":true,"c":null,"d":{"e":[1]}}${tail}`
    assert.deepEqual(decodeHeaderText(header).extFields, { a: '1', b: 'true', d: '{"e":[1]}' })
  })
})

describe('JSON header', () => {
  test('control characters are written as Java writes them', () => {
    const frame = encodeFrame(requestCommand(1, { a: '\u0000\u001f\u007f\u009f\u2028\u2029\b\t\n\f\r"\\/\u00e9' }))
    assert.ok(frame.includes('"\\u0000\\u001F\\u007F\\u009F\\u2028\\u2029\\b\\t\\n\\f\\r\\"\\\\/\u00e9"'))
  })

  test('numbers that are no int32 are refused', () => {
    for (const header of ['{"code":1.5}', '{"code":1,"opaque":4294967296}', '{"code":"x"}', '{"code":[1]}']) {
      assert.throws(() => decodeHeaderText(header), { code: 'HEADER_INVALID' }, header)
    }
  })

  test('numbers as text are accepted', () => {
    assert.equal(decodeHeaderText('{"code":"105","opaque":"7"}').opaque, 7)
  })

  test('anything but an object is refused', () => {
    for (const header of ['[]', '1', 'null', '', '{"code":1,"extFields":[]}', '{"code":1', '"x"', '{{"a":1}:2}']) {
      assert.throws(() => decodeHeaderText(header), { code: 'HEADER_INVALID' }, header)
    }
  })
})
