import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  bodyCrc,
  checkRecord,
  decodeStoredMessage,
  encodeStoredMessage,
  magicV1,
  magicV2,
  sysFlag,
} from '@rocketmq-ts/model'
import fc from 'fast-check'
import { encodedSizeMax, encodeRecord, PROPERTIES_TOO_LONG } from '../../dist/commit-log/encode-record.js'
import { Tail } from '../../dist/commit-log/tail.js'
import { recordOf } from '../support/open-store.ts'

const host = fc.record({
  address: fc.oneof(
    fc.uint8Array({ minLength: 4, maxLength: 4 }).map(bytes => Buffer.from(bytes)),
    fc.uint8Array({ minLength: 16, maxLength: 16 }).map(bytes => Buffer.from(bytes)),
  ),
  port: fc.integer({ min: 0, max: 65_535 }),
})
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const offset = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })

/** Encodes into the middle of a chunk, as the log does. */
function encode(record: ReturnType<typeof recordOf>, queueOffset: number, time: number, appendCrc: boolean) {
  const tail = new Tail({ chunkBytes: 100, retainedBytes: 1000 }, 0)
  const chunk = tail.reserve(encodedSizeMax(record) + 7)
  const size = encodeRecord(chunk, 7, record, queueOffset, 12_345_678_901, time, appendCrc)
  return size < 0 ? size : Buffer.from(chunk.buffer.subarray(7, 7 + size))
}

describe('encodeRecord', () => {
  it('writes what the general encoder of stored messages writes', () => {
    const topics = fc.oneof(
      fc.string({ minLength: 1, maxLength: 30 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      fc.constant('%RETRY%'.padEnd(200, 'x')),
    )
    const properties = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: 'grapheme', maxLength: 60 }))
    fc.assert(
      fc.property(
        topics,
        properties,
        fc.uint8Array({ maxLength: 300 }),
        host,
        host,
        fc.record({ queueOffset: offset, born: offset, stored: offset, prepared: offset }),
        fc.record({ queueId: int32, flag: int32, sysFlag: fc.constantFrom(0, 1, 4, 8, 0x301), reconsumeTimes: int32 }),
        fc.boolean(),
        (topic, text, bytes, bornHost, storeHost, numbers, fields, asBytes) => {
          const topicBytes = Buffer.from(topic, 'utf8')
          const body = Buffer.from(bytes)
          const record = recordOf({
            ...fields,
            topic,
            topicBytes,
            body,
            bornHost,
            storeHost,
            bornTimestamp: numbers.born,
            preparedTransactionOffset: numbers.prepared,
            properties: asBytes ? Buffer.from(text, 'utf8') : text,
          })
          const expected = encodeStoredMessage({
            ...fields,
            topic,
            body,
            bornHost,
            storeHost,
            magic: topicBytes.length > 127 ? magicV2 : magicV1,
            bodyCrc: bodyCrc(body),
            queueOffset: numbers.queueOffset,
            physicalOffset: 12_345_678_901,
            sysFlag:
              fields.sysFlag |
              (bornHost.address.length === 16 ? sysFlag.bornHostV6 : 0) |
              (storeHost.address.length === 16 ? sysFlag.storeHostV6 : 0),
            bornTimestamp: numbers.born,
            storeTimestamp: numbers.stored,
            preparedTransactionOffset: numbers.prepared,
            propertiesText: text,
          })
          assert.deepEqual(encode(record, numbers.queueOffset, numbers.stored, false), expected)
        },
      ),
    )
  })

  it('appends a CRC that recovery accepts, and a separator before it where one is missing', () => {
    for (const properties of ['', 'A\u0001B\u0002', 'A\u0001B']) {
      const record = encode(recordOf({ properties }), 3, 1000, true)
      assert.ok(Buffer.isBuffer(record))
      const check = checkRecord(record, 0, record.length, { verifyBodyCrc: true, verifyPropertyCrc: true })
      assert.equal(check.kind, 'record')
      const text = decodeStoredMessage(record).propertiesText
      assert.ok(text.startsWith(properties === '' ? '__CRC32#' : 'A\u0001B\u0002__CRC32#'), JSON.stringify(text))
      record[record.length - 30]! ^= 1
      assert.equal(
        checkRecord(record, 0, record.length, { verifyBodyCrc: true, verifyPropertyCrc: true }).kind,
        'invalid',
      )
    }
  })

  it('refuses properties beyond their length field, the appended CRC included', () => {
    const fits = recordOf({ properties: 'x'.repeat(32_767) })
    assert.ok(Buffer.isBuffer(encode(fits, 0, 0, false)))
    assert.equal(encode(fits, 0, 0, true), PROPERTIES_TOO_LONG)
    assert.equal(encode(recordOf({ properties: 'x'.repeat(32_768) }), 0, 0, false), PROPERTIES_TOO_LONG)
    assert.equal(encode(recordOf({ properties: 'ü'.repeat(16_384) }), 0, 0, false), PROPERTIES_TOO_LONG)
  })
})
