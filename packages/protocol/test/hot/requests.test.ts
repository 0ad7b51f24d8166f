import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  decodeFrame,
  decodeHeader,
  decodePullRequest,
  decodePullResponse,
  decodeSendMessageV1,
  decodeSendMessageV2,
  decodeSendRequest,
  decodeSendResponse,
  type ExtFields,
  encodeFrame,
  encodeFrameHead,
  encodeSendFrameHead,
  pullMessage,
  type RemotingCommand,
  RequestCode,
  requestCommand,
  type SendMessageHeader,
  sendFrameHeadMaxBytes,
  writeSendFrameHead,
} from '@rocketmq-ts/protocol'
import fc from 'fast-check'
import { type GoldenFrame, goldenVectors, type RecordedCall } from '../golden.ts'

/** Golden frames of these codes, requests or responses. */
function goldenFrames(codes: readonly number[], isResponse: boolean): Buffer[] {
  const recorded = goldenVectors<RecordedCall>('recorded.json')
    .filter(call => codes.includes(call.decoded.code))
    .map(call => (isResponse ? call.responseHex : call.hex))
  const made = goldenVectors<GoldenFrame>('frames.json')
    .filter(({ name, decoded }) => /send|pull|v2_fast/.test(name) && (decoded.flag & 1) === (isResponse ? 1 : 0))
    .filter(({ decoded }) => isResponse || codes.includes(decoded.code))
    .map(frame => frame.hex)
  const frames = [...recorded, ...made].filter(hex => hex !== undefined).map(hex => Buffer.from(hex, 'hex'))
  assert.ok(frames.length > 0)
  return frames
}

function decode(frame: Buffer): RemotingCommand {
  return decodeFrame(frame, 4, frame.length)
}

/** The same command with its map made already, so that nothing can be read from the bytes. */
function mapped(frame: Buffer): RemotingCommand {
  const command = decode(frame)
  void command.extFields
  return command
}

/** Value or error of `run`, for comparing two ways. */
function outcome<T>(run: () => T): unknown {
  try {
    return run()
  } catch (error) {
    return (error as Error).message
  }
}

const texts = fc.string({ unit: 'binary', maxLength: 20 }).map(text => Buffer.from(text).toString())
const numbers = fc.oneof(
  fc.integer().map(String),
  fc.maxSafeInteger().map(String),
  fc.constantFrom('', '-', '007', '+5', '9223372036854775807', '-0', '1e3', 'x'),
)
const flags = fc.constantFrom('true', 'false', 'TRUE', 'no', '')
const odd = fc.dictionary(fc.constantFrom('lo', 'ns', 'AccessKey', 'z', 'aa', '\u00e9'), texts, {
  noNullPrototype: true,
})

function commandsOf(code: number, fields: fc.Arbitrary<ExtFields>): fc.Arbitrary<Buffer> {
  const body = Buffer.from('body')
  return fc
    .tuple(fields, odd, fc.constantFrom(0 as const, 1 as const))
    .map(([known, more, serializeType]) =>
      encodeFrame(requestCommand(code, { ...known, ...more }, body, { serializeType })),
    )
}

function fieldsOf(shape: Record<string, fc.Arbitrary<string>>, mandatory: string[]): fc.Arbitrary<ExtFields> {
  const usual = fc.record(shape, { requiredKeys: mandatory, noNullPrototype: true })
  return fc.oneof(usual, fc.record(shape, { requiredKeys: [], noNullPrototype: true })) as fc.Arbitrary<ExtFields>
}

describe('send request', () => {
  const codes = [RequestCode.SEND_MESSAGE_V2, RequestCode.SEND_BATCH_MESSAGE]

  test('read from bytes equals read from the map, for every golden frame', () => {
    for (const frame of goldenFrames(codes, false)) {
      const direct = decode(frame)
      assert.deepEqual(decodeSendRequest(direct), decodeSendMessageV2(decode(frame).extFields))
      assert.ok(direct.rawExt !== undefined || frame.includes('": "'), 'the map was needed')
    }
  })

  test('read from bytes equals read from the map, errors included', () => {
    const short = { a: texts, b: texts, c: texts, d: numbers, e: numbers, f: numbers, g: numbers, h: numbers }
    const long = { ...short, i: texts, j: numbers, k: flags, l: numbers, m: flags, n: texts }
    fc.assert(
      fc.property(commandsOf(RequestCode.SEND_MESSAGE_V2, fieldsOf(long, Object.keys(short))), frame => {
        const byMap = outcome(() => decodeSendMessageV2(mapped(frame).extFields))
        assert.deepEqual(
          outcome(() => decodeSendRequest(decode(frame))),
          byMap,
        )
      }),
      { numRuns: 3000 },
    )
  })

  test('the form with full names says the same', () => {
    const frame = goldenFrames([RequestCode.SEND_MESSAGE], false).find(bytes => decode(bytes).code === 10)!
    const command = decode(frame)
    assert.deepEqual(decodeSendRequest(command), decodeSendMessageV1(command.extFields))
    assert.equal(decodeSendRequest(command).producerGroup, command.extFields?.producerGroup)
  })

  test('properties are unescaped, of any length and alphabet', () => {
    for (const properties of [
      'KEYS\u0001a\u0002',
      'q"\\/\b\f\n\r\t\u0001',
      'é中😀\u0001',
      '\u2028\u0001',
      `x\u0001${'y'.repeat(70_000)}\u0002`,
    ]) {
      const fields = { a: 'P', b: 'T', c: 'D', d: '4', e: '0', f: '0', g: '1', h: '0', i: properties }
      assert.equal(decodeSendRequest(decode(encodeFrame(requestCommand(310, fields)))).properties, properties)
    }
  })

  test('a missing field is named', () => {
    const frame = encodeFrame(requestCommand(310, { a: 'P', b: 'T' }))
    assert.throws(() => decodeSendRequest(decode(frame)), {
      code: 'HEADER_INVALID',
      details: { header: 'SendMessageRequestHeaderV2', field: 'c' },
    })
  })
})

describe('pull request', () => {
  const codes = [RequestCode.PULL_MESSAGE, RequestCode.LITE_PULL_MESSAGE]

  test('read from bytes equals read from the map, for every golden frame', () => {
    for (const frame of goldenFrames(codes, false)) {
      assert.deepEqual(decodePullRequest(decode(frame)), decodePullRequest(mapped(frame)))
    }
  })

  test('read from bytes equals read from the map, errors included', () => {
    const shape: Record<string, fc.Arbitrary<string>> = {
      consumerGroup: texts,
      topic: texts,
      queueId: numbers,
      queueOffset: numbers,
      maxMsgNums: numbers,
      sysFlag: numbers,
      commitOffset: numbers,
      suspendTimeoutMillis: numbers,
      subVersion: numbers,
    }
    const mandatory = Object.keys(shape)
    const optional = {
      subscription: texts,
      expressionType: texts,
      maxMsgBytes: numbers,
      requestSource: numbers,
      bname: texts,
    }
    fc.assert(
      fc.property(
        commandsOf(
          RequestCode.PULL_MESSAGE,
          fieldsOf({ ...shape, ...optional, proxyFrowardClientId: texts }, mandatory),
        ),
        frame => {
          assert.deepEqual(
            outcome(() => decodePullRequest(decode(frame))),
            outcome(() => decodePullRequest(mapped(frame))),
          )
        },
      ),
      { numRuns: 3000 },
    )
  })

  test('an offset beyond 2^53 is clamped, as a pull far beyond the end', () => {
    const ext = decode(goldenFrames(codes, false)[0]!).extFields!
    const command = requestCommand(11, { ...ext, queueOffset: '9223372036854775807' })
    assert.equal(decodePullRequest(decode(encodeFrame(command))).queueOffset, Number.MAX_SAFE_INTEGER)
  })
})

describe('responses', () => {
  test('a send response read from bytes equals read from the map', () => {
    for (const frame of goldenFrames([10, 310, 320], true)) {
      if (decode(frame).extFields?.msgId === undefined) continue
      assert.deepEqual(decodeSendResponse(decode(frame)), decodeSendResponse(mapped(frame)))
    }
  })

  test('a send response without region, or with tracing off, says so', () => {
    const frame = encodeFrame(requestCommand(0, { msgId: 'A', queueId: '1', queueOffset: '2', TRACE_ON: 'false' }))
    const expected = {
      msgId: 'A',
      queueId: 1,
      queueOffset: 2,
      transactionId: undefined,
      regionId: undefined,
      traceOn: false,
    }
    assert.deepEqual(decodeSendResponse(decode(frame)), {
      ...expected,
      recallHandle: undefined,
      batchUniqId: undefined,
    })
    assert.throws(() => decodeSendResponse(requestCommand(0, { queueId: '1', queueOffset: '2' })), {
      code: 'HEADER_INVALID',
    })
  })

  test('a pull response read from bytes equals read from the map', () => {
    for (const frame of goldenFrames([11, 361], true)) {
      const byMap = outcome(() => decodeHeader(pullMessage.response, mapped(frame).extFields))
      assert.deepEqual(
        outcome(() => decodePullResponse(decode(frame))),
        byMap,
      )
    }
  })

  test('a pull response of a static topic keeps its offset delta', () => {
    const fields = {
      suggestWhichBrokerId: '0',
      nextBeginOffset: '1',
      minOffset: '2',
      maxOffset: '3',
      offsetDelta: '100',
    }
    assert.equal(decodePullResponse(decode(encodeFrame(requestCommand(0, fields)))).offsetDelta, 100)
  })
})

describe('send frame of a producer', () => {
  const fields = {
    producerGroup: texts,
    topic: texts,
    defaultTopic: texts,
    defaultTopicQueueNums: fc.integer(),
    queueId: fc.integer(),
    sysFlag: fc.integer(),
    bornTimestamp: fc.maxSafeInteger(),
    flag: fc.integer(),
    properties: fc.option(texts, { nil: undefined }),
    reconsumeTimes: fc.integer(),
    unitMode: fc.boolean(),
    batch: fc.boolean(),
    maxReconsumeTimes: fc.option(fc.integer(), { nil: undefined }),
    brokerName: fc.option(texts, { nil: undefined }),
  }
  const headers: fc.Arbitrary<SendMessageHeader> = fc.record(fields, { noNullPrototype: true })

  test('decodes to what went in', () => {
    fc.assert(
      fc.property(headers, fc.integer(), fc.boolean(), (header, opaque, oneway) => {
        const head = encodeSendFrameHead(header, opaque, oneway, 4)
        const command = decode(Buffer.concat([head, Buffer.from('body')]))
        assert.deepEqual(decodeSendRequest(command), header)
        assert.deepEqual([command.opaque, command.isOneway, command.body?.toString()], [opaque, oneway, 'body'])
        assert.equal(command.code, header.batch ? 320 : 310)
      }),
    )
  })

  test('fits into the room it asks for, at any offset', () => {
    fc.assert(
      fc.property(headers, fc.nat(20), (header, at) => {
        const room = sendFrameHeadMaxBytes(header)
        const target = Buffer.alloc(at + room + 1, 0xee)
        const end = writeSendFrameHead(target, at, header, -0x80000000, true, 0)
        assert.ok(end <= at + room)
        assert.equal(target.at(-1), 0xee)
        assert.deepEqual(decodeSendRequest(decode(target.subarray(at, end))), header)
      }),
    )
  })

  test('is what the general codec writes', () => {
    const fields = {
      a: 'P',
      b: 'T',
      c: 'D',
      d: '4',
      e: '0',
      f: '0',
      g: '1',
      h: '0',
      i: 'a\u0001b\u0002',
      j: '0',
      k: 'false',
      m: 'false',
      n: 'broker-a',
    }
    const command = requestCommand(310, fields)
    command.opaque = 9
    const header = decodeSendMessageV2(fields)
    assert.deepEqual(encodeSendFrameHead(header, 9, false, 10), encodeFrameHead(command, 10))
    assert.throws(() => encodeSendFrameHead(header, 9, false, 17_000_000), { code: 'FRAME_TOO_LARGE' })
  })
})
