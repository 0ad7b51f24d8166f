import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  decodeFrame,
  encodeFrame,
  encodeFrameHead,
  FRAME_LIMIT_BYTES,
  RemotingCommand,
  requestCommand,
  responseCommand,
} from '@rocketmq-ts/protocol'
import { RocketMqError } from '@rocketmq-ts/runtime'
import fc from 'fast-check'
import { type GoldenCommand, type GoldenFrame, goldenVectors, type RecordedCall } from './golden.ts'

const frames = goldenVectors<GoldenFrame>('frames.json')
const recorded = goldenVectors<RecordedCall>('recorded.json')

function decode(frame: Buffer): RemotingCommand {
  assert.equal(frame.readInt32BE(0), frame.length - 4)
  return decodeFrame(frame, 4, frame.length)
}

/** All that a command says, for comparing. */
function facts(command: RemotingCommand): object {
  const { code, language, version, opaque, flag, remark, extFields, body, serializeType } = command
  return { code, language, version, opaque, flag, remark, extFields: { ...extFields }, body, serializeType }
}

function assertSays(command: RemotingCommand, golden: GoldenCommand): void {
  assert.equal(command.code, golden.code)
  assert.equal(command.language, golden.language === 'null' ? 'OTHER' : golden.language)
  assert.equal(command.version, golden.version)
  assert.equal(command.opaque, golden.opaque)
  assert.equal(command.flag, golden.flag)
  assert.equal(command.remark, golden.remark ?? undefined)
  const fields = Object.entries(golden.extFields ?? {}).filter(([, value]) => value !== null)
  assert.deepEqual(command.extFields, golden.extFields === null ? undefined : Object.fromEntries(fields))
  if (golden.bodyHex !== undefined) assert.equal(command.body?.toString('hex'), golden.bodyHex ?? undefined)
  if (golden.bodyLength !== undefined) assert.equal(command.body?.length ?? 0, golden.bodyLength)
  if (golden.serializeType !== undefined) assert.equal(command.serializeType, golden.serializeType)
}

describe('frames written by Java', () => {
  for (const { name, hex, decoded, reencode } of frames) {
    const frame = Buffer.from(hex, 'hex')
    test(`${name} decodes to what Java reads from it`, () => assertSays(decode(frame), decoded))
    if (reencode === 'none') continue
    test(`${name} is written again, ${reencode}ly`, () => {
      const command = decode(frame)
      const again = encodeFrame(command)
      assert.deepEqual(facts(decode(again)), facts(command))
      // The binary form writes a field without a value, and nobody can tell it from an absent one.
      if (Object.values(decoded.extFields ?? {}).includes(null)) return
      if (reencode === 'exact') assert.deepEqual(again, frame)
      // Java's order of fields is that of a hash map, so the bytes are the same but for their order.
      const sorted = (bytes: Buffer) => Buffer.from(bytes).sort()
      assert.deepEqual(sorted(again), sorted(frame))
    })
  }
})

describe('recorded conversations', () => {
  for (const { name, hex, decoded, responseHex, responseDecoded } of recorded) {
    test(`${name} decodes`, () => {
      assertSays(decode(Buffer.from(hex, 'hex')), decoded)
      if (responseHex !== undefined) assertSays(decode(Buffer.from(responseHex, 'hex')), responseDecoded!)
    })
    test(`${name} survives encoding`, () => {
      for (const frame of [hex, responseHex ?? hex].map(text => Buffer.from(text, 'hex'))) {
        const command = decode(frame)
        assert.deepEqual(facts(decode(encodeFrame(command))), facts(command))
      }
    })
  }
})

const texts = fc.string({ unit: 'binary', maxLength: 40 }).map(text => Buffer.from(text).toString())
const int32s = fc.integer({ min: -0x80000000, max: 0x7fffffff })
const commands = fc
  .record({
    code: fc.integer({ min: -32768, max: 32767 }),
    language: fc.constantFrom('JAVA', 'GO', 'NODE_JS', 'OTHER'),
    version: fc.integer({ min: 0, max: 32767 }),
    opaque: int32s,
    flag: fc.integer({ min: 0, max: 3 }),
    remark: fc.option(
      texts.filter(text => text !== ''),
      { nil: undefined },
    ),
    extFields: fc.dictionary(
      texts.filter(text => text !== '' && text !== '__proto__'),
      texts.filter(text => text !== ''),
      { minKeys: 1, noNullPrototype: true },
    ),
    body: fc.option(fc.uint8Array({ minLength: 1, maxLength: 64 }).map(Buffer.from), { nil: undefined }),
    serializeType: fc.constantFrom(0 as const, 1 as const),
  })
  .map(
    c =>
      new RemotingCommand(
        c.code,
        c.language,
        c.version,
        c.opaque,
        c.flag,
        c.remark,
        c.extFields,
        c.body,
        c.serializeType,
      ),
  )

describe('frame', () => {
  test('any command survives both header forms', () => {
    fc.assert(fc.property(commands, command => assert.deepEqual(facts(decode(encodeFrame(command))), facts(command))))
  })

  test('a head and its body make the frame', () => {
    fc.assert(
      fc.property(commands, command => {
        const body = command.body ?? Buffer.alloc(0)
        assert.deepEqual(Buffer.concat([encodeFrameHead(command, body.length), body]), encodeFrame(command))
      }),
    )
  })

  test('garbage is refused with FRAME_INVALID or HEADER_INVALID, never anything else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          fc
            .tuple(commands, fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 8 }))
            .map(([command, changes]) => {
              const frame = encodeFrame(command).subarray(4)
              for (const [at, byte] of changes) if (at < frame.length) frame[at] = byte
              return frame
            }),
        ),
        bytes => {
          const frame = Buffer.from(bytes)
          try {
            void decodeFrame(frame, 0, frame.length).extFields
          } catch (error) {
            assert.ok(RocketMqError.is(error), String(error))
            assert.match(error.code, /^(FRAME|HEADER)_INVALID$/)
          }
        },
      ),
      { numRuns: 3000 },
    )
  })

  test('an unknown serialize type and a header longer than the frame are FRAME_INVALID', () => {
    for (const bytes of [
      [2, 0, 0, 0],
      [0, 0, 0, 5, 1],
      [0, 255, 255, 255],
      [0, 0, 0],
    ]) {
      const frame = Buffer.from(bytes)
      assert.throws(() => decodeFrame(frame, 0, frame.length), { code: 'FRAME_INVALID' })
    }
  })

  test('a body has a limit', () => {
    const command = requestCommand(310)
    const head = encodeFrameHead(command, 0).length
    assert.equal(encodeFrameHead(command, FRAME_LIMIT_BYTES - head).length, head)
    assert.throws(() => encodeFrameHead(command, FRAME_LIMIT_BYTES - head + 1), { code: 'FRAME_TOO_LARGE' })
  })

  test('a code beyond 16 bits goes as JSON even when the binary form is asked for', () => {
    const frame = encodeFrame(requestCommand(200050, {}, undefined, { serializeType: 1 }))
    assert.equal(decode(frame).code, 200050)
    assert.equal(frame[4], 0)
  })

  test('a response carries the opaque of its request and is JSON unless told to mirror', () => {
    const request = requestCommand(30, {}, undefined, { serializeType: 1 })
    request.opaque = 77
    const response = responseCommand(request, 17, 'gone')
    assert.deepEqual([response.opaque, response.isResponse, response.serializeType], [77, true, 0])
    assert.equal(responseCommand(request, 0, undefined, {}, undefined, { serializeType: 1 }).serializeType, 1)
  })

  test('an ext field named like a prototype does no harm', () => {
    const json =
      '{"code":1,"extFields":{"__proto__":"x","a":"b"},"flag":0,"language":"JAVA","opaque":1,"serializeTypeCurrentRPC":"JSON","version":1}'
    const frame = Buffer.concat([Buffer.alloc(8), Buffer.from(json)])
    frame.writeInt32BE(frame.length - 4, 0)
    frame.writeInt32BE(json.length, 4)
    const { extFields } = decode(frame)
    assert.equal(Object.getPrototypeOf(extFields), Object.prototype)
    assert.equal(extFields?.a, 'b')
  })

  test('a value that is nested without end is refused', () => {
    const json = `{"extFields":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`
    const frame = Buffer.concat([Buffer.alloc(8), Buffer.from(json)])
    frame.writeInt32BE(frame.length - 4, 0)
    frame.writeInt32BE(json.length, 4)
    assert.throws(() => decode(frame), { code: 'HEADER_INVALID' })
  })
})
