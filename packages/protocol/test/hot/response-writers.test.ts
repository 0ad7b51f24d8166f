import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeOffsetMessageId, parseHost } from '@rocketmq-ts/model'
import {
  decodeFrame,
  encodeFrame,
  PULL_RESPONSE_HEAD_MAX_BYTES,
  type PullResponseHead,
  RemotingCommand,
  SendResponseWriter,
  writePullResponseHead,
} from '@rocketmq-ts/protocol'
import fc from 'fast-check'

const int32s = fc.integer({ min: -0x80000000, max: 0x7fffffff })
const offsets = fc.oneof(fc.nat(), fc.maxSafeNat())
const forms = fc.constantFrom(0 as const, 1 as const)
const texts = fc.string({ unit: 'binary', maxLength: 40 }).map(text => Buffer.from(text).toString())

/** What the general codec makes of the same response; the map's order is that of the writer. */
function assertSame(frame: Buffer, expected: RemotingCommand): void {
  const facts = (bytes: Buffer) => {
    const { code, language, version, opaque, flag, remark, extFields, serializeType } = decodeFrame(
      bytes,
      4,
      bytes.length,
    )
    return { code, language, version, opaque, flag, remark, extFields, serializeType }
  }
  assert.equal(frame.readInt32BE(0), frame.length - 4)
  assert.deepEqual(facts(frame), facts(encodeFrame(expected)))
  assert.equal(frame.length, encodeFrame(expected).length)
}

describe('send response writer', () => {
  const arbitrary = fc.record({
    serializeType: forms,
    opaque: int32s,
    code: fc.constantFrom(0, 10, 11, 12),
    queueId: fc.nat(),
    queueOffset: offsets,
    physicalOffset: offsets,
    transactionId: fc.option(fc.oneof(fc.string({ maxLength: 40 }), texts), { nil: undefined }),
  })

  test('writes what the general codec writes, at any offset, within the room it asks for', () => {
    const hosts = [parseHost('10.0.0.2:10911'), parseHost('[2001:db8::1]:10911')]
    const writerOptions = fc.record({
      storeHost: fc.constantFrom(...hosts),
      region: fc.oneof(
        fc.constant('DefaultRegion'),
        texts.filter(text => text !== ''),
      ),
      traceOn: fc.boolean(),
    })
    fc.assert(
      fc.property(writerOptions, arbitrary, fc.nat(20), (options, r, at) => {
        const writer = new SendResponseWriter(options)
        const room = writer.maxBytes(r.transactionId)
        const target = Buffer.alloc(at + room + 3, 0xee)
        const { serializeType, opaque, code, queueId, queueOffset, physicalOffset, transactionId } = r
        const end = writer.write(
          target,
          at,
          serializeType,
          opaque,
          code,
          queueId,
          queueOffset,
          physicalOffset,
          transactionId,
        )
        assert.ok(end <= at + room)
        assert.deepEqual([target.subarray(0, at).every(b => b === 0xee), target.at(-1)], [true, 0xee])
        const ext = {
          msgId: encodeOffsetMessageId(options.storeHost, physicalOffset),
          queueId: String(queueId),
          queueOffset: String(queueOffset),
          MSG_REGION: options.region,
          TRACE_ON: String(options.traceOn),
          ...(transactionId === undefined || (transactionId === '' && serializeType === 1) ? {} : { transactionId }),
        }
        assertSame(
          target.subarray(at, end),
          new RemotingCommand(code, 'JAVA', 479, opaque, 1, undefined, ext, undefined, serializeType),
        )
      }),
      { numRuns: 1000 },
    )
  })

  test("writes Java's bytes", () => {
    const writer = new SendResponseWriter({
      storeHost: parseHost('127.0.0.1:20911'),
      region: 'DefaultRegion',
      traceOn: true,
    })
    const target = Buffer.alloc(1000)
    const end = writer.write(target, 0, 0, 143, 0, 1, 0, 0x424b, 'C000020227D830946E0997803F1E0000')
    assert.equal(
      target.toString('latin1', 8, end),
      '{"code":0,"extFields":{"queueId":"1","transactionId":"C000020227D830946E0997803F1E0000",' +
        '"msgId":"7F000001000051AF000000000000424B","TRACE_ON":"true","MSG_REGION":"DefaultRegion","queueOffset":"0"},' +
        '"flag":1,"language":"JAVA","opaque":143,"serializeTypeCurrentRPC":"JSON","version":479}',
    )
  })
})

describe('pull response writer', () => {
  const heads: fc.Arbitrary<PullResponseHead> = fc.record({
    serializeType: forms,
    opaque: int32s,
    code: fc.constantFrom(0, 19, 20, 21),
    remark: fc.constantFrom('FOUND', 'OFFSET_OVERFLOW_BADLY', 'NO_MATCHED_LOGIC_QUEUE'),
    suggestWhichBrokerId: offsets,
    nextBeginOffset: fc.maxSafeInteger(),
    minOffset: fc.maxSafeInteger(),
    maxOffset: fc.maxSafeInteger(),
    topicSysFlag: int32s,
    groupSysFlag: int32s,
  })

  test('writes what the general codec writes, within its bound', () => {
    fc.assert(
      fc.property(heads, fc.nat(50), fc.nat(20), (head, bodyLength, at) => {
        const target = Buffer.alloc(at + PULL_RESPONSE_HEAD_MAX_BYTES)
        const end = writePullResponseHead(target, at, head, bodyLength)
        assert.equal(target.readInt32BE(at), end - at - 4 + bodyLength)
        const frame = Buffer.from(target.subarray(at, end))
        frame.writeInt32BE(end - at - 4, 0)
        const { serializeType, opaque, code, remark, ...numbers } = head
        const ext = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)]))
        assertSame(frame, new RemotingCommand(code, 'JAVA', 479, opaque, 1, remark, ext, undefined, serializeType))
      }),
      { numRuns: 1000 },
    )
  })
})
