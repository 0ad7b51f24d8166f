import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeFrame, decodeSendMessageV2, decodeSendRequest, encodeFrame } from '@rocketmq-ts/protocol'
import fc from 'fast-check'
import { encodeSendHead, sendCommand, sendHeaderStart } from '../../dist/producer/send-frame.js'

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const parts = fc.record({
  group: text,
  topic: text,
  defaultTopic: text,
  defaultTopicQueueNums: fc.nat(64),
  queueId: fc.nat(64),
  unitMode: fc.boolean(),
  brokerName: text,
})
const values = fc.record({
  code: fc.constantFrom(310, 320, 325),
  isOneway: fc.boolean(),
  opaque: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  sysFlag: fc.nat(0x7ff),
  bornTimestamp: fc.nat(Number.MAX_SAFE_INTEGER),
  messageFlag: int32,
  properties: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 4000 }).map(value => value.repeat(3).slice(0, 9000)),
  ),
  reconsumeTimes: fc.nat(20),
  maxReconsumeTimes: fc.integer({ min: -1, max: 20 }),
})

test('the hand-made head says what the general encoder would', () => {
  fc.assert(
    fc.property(parts, values, fc.uint8Array({ minLength: 1, maxLength: 30 }), (header, value, bytes) => {
      // Lone surrogates have no form in UTF-8: both encoders replace them, and not necessarily alike.
      if (Buffer.from(value.properties).toString() !== value.properties) return
      const body = Buffer.from(bytes)
      const head = Buffer.from(encodeSendHead(sendHeaderStart(header, value.code), value, body.length))
      const ours = Buffer.concat([head, body])
      assert.equal(ours.readInt32BE(0), ours.length - 4)
      const general = encodeFrame(sendCommand(header, value, body))
      const decoded = decodeFrame(ours, 4, ours.length)
      const expected = decodeFrame(general, 4, general.length)
      assert.deepEqual(decodeSendRequest(decoded), decodeSendMessageV2(expected.extFields))
      assert.deepEqual(decoded.extFields, expected.extFields)
      for (const field of ['code', 'flag', 'opaque', 'language', 'version', 'remark'] as const) {
        assert.equal(decoded[field], expected[field])
      }
      assert.deepEqual(decoded.body, expected.body)
    }),
  )
})

test('a frame above 16 MiB is refused', () => {
  const header = {
    group: 'g',
    topic: 'T',
    defaultTopic: 'D',
    defaultTopicQueueNums: 4,
    queueId: 0,
    unitMode: false,
    brokerName: 'b',
  }
  const value = {
    code: 310,
    isOneway: false,
    opaque: 1,
    sysFlag: 0,
    bornTimestamp: 0,
    messageFlag: 0,
    properties: '',
    reconsumeTimes: 0,
    maxReconsumeTimes: -1,
  }
  assert.throws(() => encodeSendHead(sendHeaderStart(header, 310), value, 16 << 20), { code: 'FRAME_TOO_LARGE' })
})
